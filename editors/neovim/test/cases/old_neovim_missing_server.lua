local t = require('harness')

vim.lsp.config, vim.lsp.enable = nil, nil
vim.env.PATH = '/nonexistent'
require('json_repair').setup({ on_save = true })

t.test('without the server there is one hint, and no error', function()
  t.open_text('a.json', '[1,]\n')
  vim.wait(200)
  local path = t.open_text('b.json', '[1,]\n')
  vim.wait(200)
  vim.cmd('silent write')
  t.equal(t.read(path), '[1,]\n')
  t.equal(t.messages, { 'json-repair-lsp is not on the PATH (:help json_repair-install)' })
end)

t.finish()
