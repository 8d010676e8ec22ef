local t = require('harness')

t.configure({ init_options = { onSave = true } })
t.enable()

t.test('init_options alone turn repair on save on', function()
  local path = t.open('commented-config.json')
  vim.cmd('silent write')
  t.equal(t.read(path), t.repaired('commented-config.json'))
end)

t.finish()
