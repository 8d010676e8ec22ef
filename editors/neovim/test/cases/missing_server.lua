local t = require('harness')

vim.env.PATH = '/nonexistent'
vim.lsp.enable('json_repair')

t.test('a JSON file opens, with one hint and no more', function()
  t.open_text('a.json', '[1,]\n')
  vim.wait(200)
  t.open_text('b.json', '[1,]\n')
  vim.wait(200)
  t.equal(t.messages, { 'json-repair-lsp is not on the PATH (:help json_repair-install)' })
end)

t.test('the commands say it too', function()
  t.open_text('a.json', '[1,]\n')
  for _, command in ipairs({ vim.cmd.JsonRepair, vim.cmd.JsonRepairReport }) do
    t.messages = {}
    command()
    t.wait_for_message('json-repair-lsp is not on the PATH')
  end
  t.equal(t.buffer(), '[1,]\n')
end)

t.test('and the file can be written', function()
  local path = t.open_text('a.json', '[1,]\n')
  vim.cmd('silent write')
  t.equal(t.read(path), '[1,]\n')
end)

t.test('other files get no hint', function()
  t.open_text('a.txt', 'text\n')
  t.equal(t.messages, {})
end)

t.finish()
