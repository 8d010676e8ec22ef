local t = require('harness')

t.test('setup() hints at a missing server when a JSON file is open', function()
  t.open_text('open.json', '[1,]\n')
  require('json_repair').setup({ cmd = { 'no-such-program' } })
  t.wait_for_message('json-repair-lsp is not on the PATH')
  t.equal(t.messages, { 'json-repair-lsp is not on the PATH (:help json_repair-install)' })
end)

t.finish()
