-- What is shown of the repair in the text: on hover, as inlay hint and as code lens.

local t = require('harness')

require('json_repair').setup({
  settings = { inlayHint = { enable = true }, codeLens = { enable = true } },
})

-- As in a person's configuration: before there is a server.
vim.lsp.inlay_hint.enable()

local TEXT = '{"é🙂": [1, 2,], // two\n"cut": "half\n'

local function open(name, text)
  t.open_text(name, text)
  t.wait_for_server()
end

--- What stands in the float that K opens at a place.
---@param line integer
---@param column integer
local function hover_at(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  vim.lsp.buf.hover()
  local float
  t.wait(function()
    float = vim.iter(vim.api.nvim_list_wins()):find(function(window)
      return vim.api.nvim_win_get_config(window).relative ~= ''
    end)
    return float
  end, 'the float')
  local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, false)
  vim.api.nvim_win_close(float, true)
  return table.concat(lines, '\n')
end

--- The labels of the inlay hints, each with its place.
local function inlay_hints()
  return vim.tbl_map(function(hint)
    local position = hint.inlay_hint.position
    return ('%d:%d %s'):format(position.line, position.character, hint.inlay_hint.label)
  end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
end

t.test('an inlay hint is at a cut end of the first document, and follows it', function()
  open('cut.json', TEXT)
  t.wait(function()
    return vim.deep_equal(inlay_hints(), { '1:12 "}' })
  end, 'the hint')
  vim.api.nvim_buf_set_lines(0, 1, 2, false, { '"list": [' })
  t.wait(function()
    return vim.deep_equal(inlay_hints(), { '1:9 ]}' })
  end, 'another hint')
  vim.api.nvim_buf_set_lines(0, 1, 2, false, { '"list": []}' })
  t.wait(function()
    return #inlay_hints() == 0
  end, 'no hint')
end)

t.test('K on an edit shows it', function()
  open('hover.json', TEXT)
  local shown = hover_at(1, (TEXT:find(',]', 1, true)) - 1)
  t.ok(shown:find('remove_trailing_commas', 1, true), shown)
  t.ok(shown:find('-{"é🙂": [1, 2,], // two', 1, true), shown)
  t.ok(shown:find('+{"é🙂": [1, 2], // two', 1, true), shown)
  shown = hover_at(2, 11)
  t.ok(shown:find('close_truncated', 1, true) and shown:find('+"cut": "half"}', 1, true), shown)
end)

t.test('JSON Lines have one at each cut line', function()
  open('cut.jsonl', '[1\n{}\n{"a": "b\n')
  t.wait(function()
    return vim.deep_equal(inlay_hints(), { '0:2 ]', '2:8 "}' })
  end, 'the hints')
end)

t.test('the code lens is the repair', function()
  open('lens.json', TEXT)
  vim.lsp.codelens.refresh({ bufnr = 0 })
  local lenses
  t.wait(function()
    lenses = vim.lsp.codelens.get(0)
    return #lenses > 0
  end, 'the lens')
  t.equal(lenses[1].command.title, 'Repair JSON: 3 edits')
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.lsp.codelens.run()
  local repaired = '{"é🙂": [1, 2], \n"cut": "half"}\n'
  t.wait(function()
    return t.buffer() == repaired
  end, 'the repair')
  t.wait(function()
    -- Neovim asks by itself when the command is answered, which may be before the edit.
    vim.lsp.codelens.refresh({ bufnr = 0 })
    return #vim.lsp.codelens.get(0) == 0
  end, 'the lens goes')
  t.undo_restores(TEXT)
end)

t.finish()
