-- The configuration behind vim.lsp.enable('json_repair'). It stands alone: this one file in a
-- directory lsp/ of the runtime path is enough for diagnostics, fixes, formatting and saving.

-- Neovim says 'json' for some files that are something else. The server decides by language id
-- what may be deleted, so it has to be told what they really are.
local language_of_extension = {
  jsonp = 'javascript',
  ['jupyterlab-settings'] = 'json5',
  ['sublime-project'] = 'jsonc',
  ['sublime-settings'] = 'jsonc',
  ['sublime-workspace'] = 'jsonc',
}

---@type vim.lsp.Config
return {
  cmd = { 'json-repair-lsp' },
  filetypes = { 'json', 'jsonc', 'jsonl', 'ndjson', 'jsonlines' },
  -- A JSON document needs nothing around it. The root only decides which buffers share a server;
  -- buffers without one share a server too.
  root_markers = { '.git' },
  -- A buffer without a name has no URI of its own: the server's answer could not find it again. It
  -- is attached when it gets a name. Answering no directory leaves the choice to `root_markers`.
  root_dir = function(bufnr, on_dir)
    if vim.api.nvim_buf_get_name(bufnr) ~= '' then
      on_dir()
    end
  end,

  capabilities = {
    -- Neovim can, and does not say so: with them it refuses edits for a text that has changed since.
    workspace = { workspaceEdit = { documentChanges = true } },
    -- Neovim asks for inlay hints when it attaches. A registration would come later, and the first
    -- buffer would have none.
    textDocument = { inlayHint = { dynamicRegistration = false } },
  },

  get_language_id = function(bufnr, filetype)
    if filetype == 'json' then
      local extension = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':e')
      return language_of_extension[extension] or filetype
    end
    return filetype
  end,

  -- Neovim has no dynamic registration for saving, so the server must know at `initialize` whether
  -- it repairs on save. Handing it the settings here as well makes `settings` the one place for them.
  before_init = function(params, config)
    local settings = vim.tbl_get(config, 'settings', 'jsonRepair')
    if type(settings) == 'table' then
      params.initializationOptions =
        vim.tbl_deep_extend('force', settings, params.initializationOptions or {})
    end
  end,
}
