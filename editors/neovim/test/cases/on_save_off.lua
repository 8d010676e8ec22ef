local t = require('harness')

t.enable()

t.test('without the setting a save writes the buffer as it is', function()
  local path = t.open('trailing-commas.json')
  vim.cmd('silent write')
  t.equal(t.read(path), t.fixture('trailing-commas.json'))
end)

t.finish()
