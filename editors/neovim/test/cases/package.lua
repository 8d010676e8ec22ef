-- The plugin as a package that is loaded when a JSON file is already open: what :packadd does, and
-- what a plugin manager does that loads by filetype. This case starts without the plugin.

local t = require('harness')

local plugin = vim.env.JSON_REPAIR_PLUGIN
t.ok(vim.g.loaded_json_repair == nil, 'it is not loaded yet')

local site = vim.fn.tempname()
vim.fn.mkdir(site .. '/pack/json/opt', 'p')
assert(vim.uv.fs_symlink(plugin, site .. '/pack/json/opt/json_repair'))
vim.opt.packpath:prepend(site)

t.test('packadd and setup() attach to the buffer that is open', function()
  t.open_text('open.json', '[1,]\n')
  vim.cmd.packadd('json_repair')
  require('json_repair').setup({ on_save = true })
  t.wait_for_server()
  t.wait_for_diagnostics(1)
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 1 trailing comma')
end)

t.test('and to the next', function()
  local path = t.open('trailing-commas.json')
  vim.cmd('silent write')
  t.equal(t.read(path), t.repaired('trailing-commas.json'))
end)

t.test('setup() names an option that it does not know', function()
  require('json_repair').setup({ onsave = true })
  t.equal(t.messages, { "json_repair: setup() knows no option 'onsave'" })
end)

t.finish()
