local t = require('harness')

vim.lsp.config('json_repair', { init_options = { onSave = true } })
vim.lsp.enable('json_repair')

t.test('init_options alone turn repair on save on', function()
  local path = t.open('commented-config.json')
  vim.cmd('silent write')
  t.equal(t.read(path), t.repaired('commented-config.json'))
end)

t.finish()
