local t = require('harness')

vim.env.PATH = '/nonexistent'
t.enable()

t.test('a JSON file opens, with one hint and no more', function()
  t.open_text('a.json', '[1,]\n')
  vim.wait(200)
  t.open_text('b.json', '[1,]\n')
  vim.wait(200)
  t.equal(t.messages, { 'json-repair-lsp is not on the PATH (:help json_repair-install)' })
end)

t.test('the commands say it too', function()
  t.open_text('a.json', '[1,]\n')
  for _ = 1, 2 do
    for _, command in ipairs({ vim.cmd.JsonRepair, vim.cmd.JsonRepairReport, vim.cmd.JsonRepairPreview }) do
      t.messages = {}
      command()
      t.wait_for_message('json-repair-lsp is not on the PATH')
    end
    t.equal(t.buffer(), '[1,]\n')
    t.equal(require('json_repair').statusline(), '')
    -- The same for a buffer without a name.
    vim.cmd('enew')
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { '[1,]' })
  end
  t.equal(#vim.api.nvim_list_wins(), 1)
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
