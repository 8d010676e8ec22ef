-- Folding, the outline and the selection: of broken text too.

local t = require('harness')

-- As in a person's configuration: before there is a server.
if vim.lsp.foldexpr then
  vim.o.foldmethod = 'expr'
  vim.o.foldexpr = 'v:lua.vim.lsp.foldexpr()'
  vim.o.foldlevel = 0
end
t.enable()

-- A comma is missing behind "b", and the end.
local TEXT = table.concat({
  '{',
  '  "a": [',
  '    1,',
  '    // one',
  '    // two',
  '    2,',
  '  ],',
  '  "b": { "c": tru }',
  '  "d": [',
  '    3,',
  '',
}, '\n')

local function open()
  t.open_text('broken.json', TEXT)
  t.wait_for_server()
end

t.test('arrays, objects and comments fold', function()
  if not vim.lsp.foldexpr then
    t.not_run('folding', 'this Neovim has no vim.lsp.foldexpr()')
    return
  end
  open()
  t.wait(function()
    return vim.fn.foldlevel(3) > 0
  end, 'folds')
  vim.cmd('normal! zM')
  local levels = {}
  for line = 1, 10 do
    levels[line] = vim.fn.foldlevel(line)
  end
  t.equal(levels, { 1, 2, 2, 3, 3, 2, 1, 1, 2, 2 })
end)

t.test('keys and elements are listed', function()
  open()
  local items
  vim.lsp.buf.document_symbol({
    on_list = function(list)
      items = list.items
    end,
  })
  t.wait(function()
    return items
  end, 'the list')
  t.equal(vim.tbl_map(function(item)
    return ('%d:%d %s'):format(item.lnum, item.col, item.text)
  end, items), {
    '2:3 [Array] a',
    '3:5 [Number] 0',
    '6:5 [Number] 1',
    '8:3 [Module] b',
    '8:10 [Variable] c',
    '9:3 [Array] d',
    '10:5 [Number] 0',
  })
end)

t.test('the selection grows from value to value', function()
  open()
  local response = t.request('textDocument/selectionRange', {
    textDocument = vim.lsp.util.make_text_document_params(0),
    positions = { { line = 2, character = 4 } },
  })
  t.equal(response.err, nil)
  local lines = {}
  local selection = response.result[1]
  while selection do
    local first, past = selection.range.start, selection.range['end']
    table.insert(lines, ('%d:%d-%d:%d'):format(first.line, first.character, past.line, past.character))
    selection = selection.parent
  end
  t.equal(lines, { '2:4-2:5', '1:8-6:2', '1:7-6:3', '1:2-6:3', '0:1-9:6', '0:0-9:6', '0:0-10:0' })
end)

t.finish()
