local t = require('harness')

t.configure({
  settings = { jsonRepair = { format = { layout = 'indent', lineWidth = 40 } } },
})
t.enable()

--- Opens a file and formats it, or a range of its lines.
---@param name string
---@param text string
---@param range? { first: integer, last: integer }
local function format(name, text, range)
  t.open_text(name, text)
  vim.bo.expandtab, vim.bo.shiftwidth = true, 4
  t.wait_for_server()
  local method = range and 'textDocument/rangeFormatting' or 'textDocument/formatting'
  t.wait(function()
    return t.supports(method)
  end, 'the server formats')
  vim.lsp.buf.format({
    timeout_ms = 10000,
    range = range and { start = { range.first, 0 }, ['end'] = { range.last, 0 } },
  })
end

t.test('what is valid is laid out, by white space alone', function()
  local text = '{"é": 1.0,\n"list":[1,2, 3],\n\n\n"long":["a long string","another long string"]}\n'
  format('a.json', text)
  t.equal(t.buffer(), table.concat({
    '{',
    '    "é": 1.0,',
    '    "list": [1, 2, 3],',
    '',
    '    "long": [',
    '        "a long string",',
    '        "another long string"',
    '    ]',
    '}',
    '',
  }, '\n'))
  t.undo_restores(text)
end)

t.test('comments stay on their lines', function()
  format('a.jsonc', '{ // one\r\n"a":1, // two\r\n// three\r\n"b":[],\r\n}\r\n')
  t.equal(t.buffer(), '{ // one\r\n    "a": 1, // two\r\n    // three\r\n    "b": [],\r\n}\r\n')
end)

t.test('a repair and its layout are one step', function()
  local text = '{"a": 1, // one\n"b": [1,\n2,],\n"c": "cu\n'
  format('a.json', text)
  t.equal(t.buffer(), table.concat({
    '{',
    '    "a": 1,',
    '    "b": [',
    '        1,',
    '        2',
    '    ],',
    '    "c": "cu"',
    '}',
    '',
  }, '\n'))
  t.undo_restores(text)
end)

t.test('what is not valid is left alone', function()
  for _, text in ipairs({ '[\n1 2]\n', '[\n1,,]\n' }) do
    format('a.json', text)
    t.equal(t.buffer(), text)
  end
end)

t.test('a range is laid out', function()
  format('a.json', '[\n1,\n2,\n3,\n4]\n', { first = 3, last = 3 })
  t.equal(t.buffer(), '[\n1,\n    2,\n3,\n4]\n')
end)

t.finish()
