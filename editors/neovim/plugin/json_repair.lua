if vim.g.loaded_json_repair then
  return
end
vim.g.loaded_json_repair = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('json-repair: Neovim 0.10 or newer is needed', vim.log.levels.WARN)
  return
end

vim.api.nvim_create_user_command('JsonRepair', function()
  require('json_repair').repair()
end, { desc = 'Repair the JSON document in this buffer' })

vim.api.nvim_create_user_command('JsonRepairReport', function()
  require('json_repair').report()
end, { desc = 'Show what :JsonRepair would change, and what would stay wrong' })

vim.api.nvim_create_user_command('JsonRepairPreview', function()
  require('json_repair').preview()
end, { desc = 'Show the document beside what :JsonRepair would make of it, or close that' })

local group = vim.api.nvim_create_augroup('json_repair', {})

vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = { 'json', 'jsonc', 'jsonl', 'ndjson', 'jsonlines' },
  desc = 'json-repair: follow a change of language; hint at a missing server',
  callback = function(args)
    require('json_repair.attach').filetype_set(args.buf)
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  desc = 'json-repair: remember what the server was told',
  callback = function(args)
    require('json_repair.attach').attached(args.buf, args.data.client_id)
  end,
})

vim.api.nvim_create_autocmd('DiagnosticChanged', {
  group = group,
  desc = 'json-repair: have the words for the status line made anew',
  callback = function(args)
    require('json_repair.statusline').changed(args.buf)
  end,
})

vim.api.nvim_create_autocmd('LspDetach', {
  group = group,
  desc = 'json-repair: there are no words for the status line',
  callback = function(args)
    local client = vim.lsp.get_client_by_id(args.data.client_id)
    if client and client.name == 'json_repair' then
      require('json_repair.statusline').forget(args.buf)
    end
  end,
})

vim.api.nvim_create_autocmd('BufFilePre', {
  group = group,
  desc = 'json-repair: let go of the old name',
  callback = function(args)
    require('json_repair.attach').name_changes(args.buf)
  end,
})

-- BufNew: that is what `:write NAME` fires in a buffer without a name.
vim.api.nvim_create_autocmd({ 'BufFilePost', 'BufNew' }, {
  group = group,
  desc = 'json-repair: take up the new name',
  callback = function(args)
    if vim.bo[args.buf].filetype ~= '' then
      require('json_repair.attach').name_changed(args.buf)
    end
  end,
})
