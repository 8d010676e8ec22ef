local t = require('harness')

t.configure({
  settings = { jsonRepair = { onSave = true, jsonc = { files = { '*.annotated.json' } } } },
})
t.enable()

t.test('settings alone turn repair on save on', function()
  local path = t.open('trailing-commas.json')
  vim.cmd('silent write')
  t.equal(t.read(path), t.repaired('trailing-commas.json'))
end)

t.test('settings reach the server: a file may be allowed its comments by name', function()
  local text = '{"a": 1, /* ä */}\n'
  local path = t.open_text('x.annotated.json', text)
  t.wait_for_server()
  t.no_diagnostics()
  vim.cmd('silent write')
  t.equal(t.read(path), text)
end)

t.finish()
