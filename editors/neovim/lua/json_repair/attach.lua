-- Which buffers the server is attached to, and what it was told about them.
--
-- Neovim tells a server a document's language and name once, when it attaches. Both decide what the
-- server may delete, and both change: a modeline sets another filetype, `:file` and `:saveas` give
-- another name. Then the document is closed and opened again.

local compat = require('json_repair.compat')

local M = {}

M.name = 'json_repair'
M.install_hint = 'json-repair-lsp is not on the PATH (:help json_repair-install)'
M.not_running = 'json-repair-lsp is not running; see :checkhealth json_repair'

--- The language ids of what the server looks at.
local languages = { 'json', 'jsonc', 'jsonl', 'ndjson', 'jsonlines' }

--- The language id that the server knows each attached buffer by.
---@type table<integer, string>
local language_of_buffer = {}

--- The attached buffers whose name is about to change, with their client.
---@type table<integer, integer>
local renaming = {}

--- The buffers that got another name since they were attached.
---@type table<integer, true>
local renamed = {}

---@param bufnr integer
---@return vim.lsp.Client?
function M.client(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr, name = M.name })) do
    -- Neovim 0.10 lists one for a while after it has ended.
    if not compat.call(client, 'is_stopped') then
      return client
    end
  end
end

--- The buffers that are no files of their own: nothing, or nothing that a server could name.
local loose_buftypes = { nofile = true, nowrite = true, acwrite = true }

--- Whether this is a buffer that no server is ever attached to, and that may yet hold JSON: one
--- without a name, or one that is no file, such as what another plugin shows an answer in.
---@param bufnr integer
---@return boolean
function M.is_loose(bufnr)
  local buftype = vim.bo[bufnr].buftype
  local is_unattachable = loose_buftypes[buftype]
    or buftype == '' and vim.api.nvim_buf_get_name(bufnr) == ''
  local filetype = vim.bo[bufnr].filetype
  return is_unattachable and (filetype == '' or M.has_filetype(bufnr)) and not M.client(bufnr)
end

--- A server that can be asked about the buffer: its own, or for a buffer that has none any.
---@param bufnr integer
---@return vim.lsp.Client?
function M.any_client(bufnr)
  if not M.is_loose(bufnr) then
    return M.client(bufnr)
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name })) do
    if client.initialized and not compat.call(client, 'is_stopped') then
      return client
    end
  end
end

--- What there is in place of vim.lsp.config() up to Neovim 0.10.
---@type { options: table, is_enabled: boolean }
local by_start = { options = {}, is_enabled = false }

---@param config vim.lsp.Config
function M.configure(config)
  if compat.has_lsp_config() then
    vim.lsp.config(M.name, config)
  else
    by_start.options = vim.tbl_deep_extend('force', by_start.options, config)
  end
end

--- The configuration as it is in force, or nil where the plugin is not on the runtime path.
---@return vim.lsp.Config?
function M.config()
  if compat.has_lsp_config() then
    return vim.lsp.config[M.name]
  end
  local files = vim.api.nvim_get_runtime_file(('lsp/%s.lua'):format(M.name), true)
  if #files == 0 then
    return nil
  end
  local config = { name = M.name }
  for _, file in ipairs(files) do
    config = vim.tbl_deep_extend('force', config, dofile(file))
  end
  return vim.tbl_deep_extend('force', config, by_start.options)
end

--- The configuration as vim.lsp.start() takes it.
---@param bufnr? integer The buffer whose root is meant; without one there is no root.
---@return vim.lsp.ClientConfig
local function config_to_start(bufnr)
  local config = vim.deepcopy(assert(M.config()))
  config.name = M.name
  config.root_dir = bufnr and vim.fs.root(bufnr, config.root_markers or {}) or nil
  local ours = vim.lsp.protocol.make_client_capabilities()
  config.capabilities = vim.tbl_deep_extend('force', ours, config.capabilities or {})
  return config
end

---@param bufnr integer
---@return boolean
function M.has_filetype(bufnr)
  local config = M.config()
  return vim.list_contains(config and config.filetypes or {}, vim.bo[bufnr].filetype)
end

--- Does for a buffer what vim.lsp.enable() does in Neovim 0.11.
---@param bufnr integer
local function start(bufnr)
  local is_file = vim.bo[bufnr].buftype == '' and vim.api.nvim_buf_get_name(bufnr) ~= ''
  if by_start.is_enabled and is_file and M.has_filetype(bufnr) and not M.is_missing() then
    vim.lsp.start(config_to_start(bufnr), {
      bufnr = bufnr,
      -- Neovim 0.10 would start another server for every buffer that has no root.
      reuse_client = function(client, config)
        return client.name == config.name
          and client.config.root_dir == config.root_dir
          and not compat.call(client, 'is_stopped')
      end,
    })
  end
end

--- Enables the server where there is no vim.lsp.enable().
function M.enable_by_start()
  by_start.is_enabled = true
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      start(bufnr)
    end
  end
end

--- Starts a server for the buffers that none is attached to.
function M.start_unattached()
  compat.start_unattached(config_to_start())
end

---@return boolean
function M.is_enabled()
  if not compat.has_lsp_config() then
    return by_start.is_enabled
  end
  -- vim.lsp.is_enabled() is missing from the first releases of Neovim 0.11.
  if vim.lsp.is_enabled then
    return vim.lsp.is_enabled(M.name)
  end
  return vim.lsp._enabled_configs[M.name] ~= nil
end

--- The configured command's program, unless the command is a function.
---@return string?
function M.program()
  local config = M.config()
  local cmd = config and config.cmd
  return type(cmd) == 'table' and cmd[1] or nil
end

---@return boolean
function M.is_missing()
  local program = M.program()
  return program ~= nil and vim.fn.executable(program) == 0
end

--- Says once that the server is missing. Neovim itself only writes it to its log.
local function hint_if_missing()
  if M.is_enabled() and M.is_missing() then
    -- Scheduled, so that it does not meet the message about the file: two would ask for a key.
    vim.schedule(function()
      vim.notify_once(M.install_hint, vim.log.levels.WARN, { title = 'json-repair' })
    end)
  end
end

--- Hints at a missing server if a buffer is open that it would have been started for.
function M.check_open_buffers()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and M.has_filetype(bufnr) then
      hint_if_missing()
      return
    end
  end
end

--- Why no server can be asked about the buffer, and what to do about it.
---@param bufnr integer
---@return string
function M.why_not_attached(bufnr)
  if M.is_missing() then
    return M.install_hint
  elseif not M.is_enabled() then
    local has_enable = compat.has_lsp_config()
    local call = has_enable and "vim.lsp.enable('json_repair')" or "require('json_repair').setup()"
    return 'json-repair-lsp is not enabled; call ' .. call
  elseif M.is_loose(bufnr) then
    return M.not_running
  elseif not M.has_filetype(bufnr) then
    return ("This buffer's filetype is '%s'; try :setlocal filetype=json"):format(vim.bo[bufnr].filetype)
  elseif vim.bo[bufnr].buftype ~= '' then
    return 'This buffer is not a file'
  end
  return M.not_running
end

--- Whether the server has diagnostics for the buffer, if there is anything wrong with it.
---@param bufnr integer
---@return boolean
function M.shows_diagnostics(bufnr)
  local is_known = vim.list_contains(languages, language_of_buffer[bufnr])
  local client = M.client(bufnr)
  local is_on = client and vim.tbl_get(client, 'config', 'settings', 'jsonRepair', 'diagnostics', 'enable')
  return client ~= nil and is_known and is_on ~= false
end

---@param bufnr integer
---@param client_id integer
function M.attached(bufnr, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  if client and client.name == M.name then
    language_of_buffer[bufnr] = client.get_language_id(bufnr, vim.bo[bufnr].filetype)
  end
end

---@param bufnr integer
function M.filetype_set(bufnr)
  hint_if_missing()
  if not compat.has_lsp_config() then
    start(bufnr)
  end
  local client = M.client(bufnr)
  if client and client.get_language_id(bufnr, vim.bo[bufnr].filetype) ~= language_of_buffer[bufnr] then
    vim.lsp.buf_detach_client(bufnr, client.id)
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
end

--- Takes up a buffer that was let go of for its change of name. Returns whether it was one.
---@param bufnr integer
---@return boolean
local function take_up(bufnr)
  local client_id = renaming[bufnr]
  renaming[bufnr] = nil
  if not client_id then
    return false
  end
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.lsp.buf_attach_client(bufnr, client_id)
  end
  return true
end

--- Closes the document under its old name.
---@param bufnr integer
function M.name_changes(bufnr)
  local client = M.client(bufnr)
  if client then
    vim.lsp.buf_detach_client(bufnr, client.id)
    renaming[bufnr] = client.id
    -- The change may yet be refused; then nobody says so.
    vim.schedule(function()
      take_up(bufnr)
    end)
  end
end

--- Neovim asks for the edits before a save under the name that the buffer was first attached with,
--- for good. The server does not know that name any more; this asks under the one it knows.
---@param bufnr integer
local function repair_before_write(bufnr)
  local client = M.client(bufnr)
  if not client or not compat.supports_method(client, 'textDocument/willSaveWaitUntil', bufnr) then
    return
  end
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    reason = vim.lsp.protocol.TextDocumentSaveReason.Manual,
  }
  local response = compat.call(client, 'request_sync', 'textDocument/willSaveWaitUntil', params, 1000, bufnr)
  if response and response.result then
    vim.lsp.util.apply_text_edits(response.result, bufnr, client.offset_encoding)
  end
end

--- Opens the document under its new name.
---@param bufnr integer
function M.name_changed(bufnr)
  if take_up(bufnr) then
    if not renamed[bufnr] then
      renamed[bufnr] = true
      vim.api.nvim_create_autocmd('BufWritePre', {
        group = 'json_repair',
        buffer = bufnr,
        desc = 'json-repair: repair on save under the new name',
        callback = function(args)
          repair_before_write(args.buf)
        end,
      })
    end
  elseif not compat.has_lsp_config() then
    start(bufnr)
  elseif M.is_enabled() then
    -- It may be the first name of a buffer that had to wait for one.
    vim.api.nvim_exec_autocmds('FileType', {
      group = 'nvim.lsp.enable',
      buffer = bufnr,
      modeline = false,
    })
  end
end

return M
