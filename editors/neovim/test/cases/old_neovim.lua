-- Neovim 0.10 has neither vim.lsp.config() nor vim.lsp.enable(): setup() starts the server itself. A
-- newer one that is robbed of the two goes the same way.

local t = require('harness')

vim.lsp.config, vim.lsp.enable = nil, nil

t.test('without setup() nothing happens, and the commands say what to do', function()
  t.open_text('a.json', '[1,]\n')
  vim.wait(200)
  t.equal(t.client(), nil)
  vim.cmd.JsonRepair()
  t.wait_for_message("not enabled; call require('json_repair').setup()")
end)

t.test('setup() attaches to the buffers that are open', function()
  t.open_text('a.json', '[1,]\n')
  vim.cmd('enew | setlocal filetype=json')
  vim.cmd('silent! buffer a.json')
  require('json_repair').setup({ on_save = true, settings = { diagnostics = { severity = 'hint' } } })
  t.wait_for_server()
  t.wait_for_diagnostics(1)
  t.equal(t.diagnostics()[1].severity, vim.diagnostic.severity.HINT)
  t.equal(require('json_repair').statusline(), '1 edit')
end)

t.test('and to those that are opened later, which are repaired on save', function()
  for _, name in ipairs({ 'commented-config.json', 'trailing-commas-crlf.json' }) do
    local path = t.open(name)
    vim.cmd('silent write')
    t.equal(t.read(path), t.as_written(t.repaired(name)))
  end
  t.equal(#vim.lsp.get_clients({ name = 'json_repair' }), 1, 'one server for all of them')
end)

t.test('a file of another kind is left alone', function()
  local path = t.open_text('a.txt', '[1,]\n')
  vim.wait(200)
  t.equal(t.client(), nil)
  vim.cmd('silent write')
  t.equal(t.read(path), '[1,]\n')
end)

t.test('a file in a repository has its root', function()
  local path = t.open_text('.git', '')
  vim.cmd.edit(vim.fs.dirname(path) .. '/a.json')
  t.wait_for_server()
  t.equal(vim.uv.fs_realpath(assert(t.client()).config.root_dir), vim.uv.fs_realpath(vim.fs.dirname(path)))
end)

t.test('the commands', function()
  t.open('commented-config.json')
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 5 comments and 1 trailing comma; the document is valid')
  t.equal(t.buffer(), t.repaired('commented-config.json'))
  t.undo_restores(t.fixture('commented-config.json'))
  vim.cmd.JsonRepairPreview()
  t.wait(function()
    return #vim.api.nvim_list_tabpages() == 2
  end, 'the preview')
  vim.cmd.JsonRepairPreview()
  t.equal(#vim.api.nvim_list_tabpages(), 1)
end)

t.test('a buffer without a name, and its first name', function()
  vim.cmd('enew | setlocal filetype=json')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '[1,]' })
  vim.cmd.JsonRepair()
  t.wait_for_message('the document is valid')
  t.equal(t.client(), nil)
  t.equal(t.buffer(), '[1]\n')
  local path = vim.fn.tempname() .. '.json'
  vim.cmd('silent write ' .. vim.fn.fnameescape(path))
  t.wait_for_server()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '[2,]' })
  t.wait_for_diagnostics(1)
end)

t.test('another filetype is heard', function()
  t.open_text('later.json', '{"a": [1,],}\n')
  t.wait_for_diagnostics(2)
  vim.cmd('setlocal filetype=jsonc')
  t.wait_for_diagnostics(0)
end)

t.test(':checkhealth', function()
  vim.cmd.checkhealth('json_repair')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  t.ok(text:find('without vim.lsp.config(): setup() starts the server', 1, true), text)
  t.ok(text:find('OK json-repair-lsp ', 1, true), text)
  t.ok(text:find('onSave = true', 1, true), text)
end)

t.finish()
