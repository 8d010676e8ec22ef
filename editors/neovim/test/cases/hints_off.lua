local t = require('harness')

t.enable()

t.test('without their settings there is neither inlay hint nor code lens, but hover', function()
  t.open('cut-string.json')
  t.wait(function()
    return t.supports('textDocument/hover')
  end, 'hover')
  t.equal(t.supports('textDocument/inlayHint'), false)
  t.equal(t.supports('textDocument/codeLens'), false)
  t.equal(t.supports('textDocument/diagnostic'), false)
end)

t.finish()
