-- JSON Lines: each line that is not blank is a document of its own.

local t = require('harness')

require('json_repair').setup({ on_save = true, settings = { format = { layout = 'indent' } } })

local LOG = table.concat({
  '{"level": "info", "é🙂": [1, 2,]}',
  '{"level": "info"}',
  '',
  '{"level": True, "a": 1,}',
  '{"level": "info", "tags": ["a",] // é',
  '{"level": "in',
  '',
}, '\n')

--- What all edits make of it, but for the given line, which keeps its comma.
local function repaired(in_line_4)
  return table.concat({
    '{"level": "info", "é🙂": [1, 2]}',
    '{"level": "info"}',
    '',
    in_line_4,
    '{"level": "info", "tags": ["a"] }',
    '{"level": "in"}',
    '',
  }, '\n')
end

local function open()
  local path = t.open_text('log.jsonl', LOG)
  t.wait_for_server()
  t.wait_for_diagnostics(7)
  return path
end

t.test('each line has its diagnostics', function()
  open()
  local found = vim.tbl_map(function(diagnostic)
    return ('%d:%d %s'):format(diagnostic.lnum + 1, diagnostic.col + 1, diagnostic.code)
  end, t.diagnostics())
  table.sort(found)
  t.equal(found, {
    '1:34 remove_trailing_commas',
    '4:11 unexpected_character',
    '4:23 remove_trailing_commas',
    '5:31 remove_trailing_commas',
    '5:32 close_truncated',
    '5:34 remove_comments',
    '6:11 close_truncated',
  })
end)

t.test('a file of only valid lines has none', function()
  for _, name in ipairs({ 'a.jsonl', 'a.ndjson', 'a.jsonlines' }) do
    t.open_text(name, t.fixture('events.jsonl'))
    t.wait_for_server()
    t.no_diagnostics()
  end
end)

t.test('one line is repaired by itself', function()
  open()
  vim.api.nvim_win_set_cursor(0, { 5, 30 })
  t.code_action({
    filter = function(action)
      return action.title == 'Repair this line: 3 edits'
    end,
  })
  t.equal(t.buffer(), (LOG:gsub('%["a",%] // é', '["a"] }')))
  t.undo_restores(LOG)
end)

t.test('on save, by formatting and as fix-all: each line that is certain', function()
  local path = open()
  vim.cmd('silent write')
  t.equal(t.read(path), repaired('{"level": True, "a": 1,}'))
  t.undo_restores(LOG)
  vim.lsp.buf.format({ timeout_ms = 10000 })
  t.equal(t.buffer(), repaired('{"level": True, "a": 1,}'), 'formatting, which does not lay out')
  t.undo_restores(LOG)
  t.fix_all()
  t.equal(t.buffer(), repaired('{"level": True, "a": 1,}'), 'fix-all')
end)

t.test(':JsonRepair makes every edit, and says which line stays wrong', function()
  open()
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 1 comment and 3 trailing commas, closed 2 lines; not valid at 4:11')
  t.equal(t.buffer(), repaired('{"level": True, "a": 1}'))
  t.undo_restores(LOG)
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { '[1 2]', "['']" })
  t.messages = {}
  vim.cmd.JsonRepair()
  t.wait_for_message('not valid at 4:11 and in 2 lines more')
end)

t.test(':JsonRepairReport names the lines', function()
  open()
  local document = vim.api.nvim_get_current_win()
  vim.cmd.JsonRepairReport()
  t.wait(function()
    return vim.bo.filetype == 'jsonrepairreport'
  end, 'the report')
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  t.ok(lines[9]:find('^   4:11  unexpected_character    %S'), lines[9])
  lines[9] = '   4:11  unexpected_character'
  t.equal(lines, {
    'log.jsonl: 6 edits in 4 lines; the result is not valid',
    '<CR> go there   q close   :JsonRepair repair',
    '',
    'Line 1: 1 edit',
    '   1:30  remove_trailing_commas  - ,',
    '',
    'Line 4: 1 edit; not valid',
    '   4:23  remove_trailing_commas  - ,',
    '   4:11  unexpected_character',
    '',
    'Line 5: 3 edits',
    '   5:31  remove_trailing_commas  - ,',
    '   5:34  remove_comments         - // é',
    '   5:38  close_truncated         + }',
    '',
    'Line 6: 1 edit',
    '   6:14  close_truncated         + "}',
  })
  t.equal(vim.fn.synIDattr(vim.fn.synID(7, 1, 1), 'name'), 'jsonRepairTitle')
  vim.api.nvim_win_set_cursor(0, { 9, 0 })
  vim.cmd.normal(vim.keycode('<CR>'))
  t.equal(vim.api.nvim_get_current_win(), document)
  t.equal(vim.api.nvim_win_get_cursor(0), { 4, 10 })
end)

t.test(':JsonRepairReport is quick on very many lines that stay wrong', function()
  t.open_text('many.jsonl', ('[1 2,]\n'):rep(4000))
  t.wait_for_server()
  local start = vim.uv.hrtime()
  vim.cmd.JsonRepairReport()
  t.wait(function()
    return vim.bo.filetype == 'jsonrepairreport'
  end, 'the report')
  t.equal(vim.api.nvim_buf_line_count(0), 2 + 4 * 4000)
  t.equal(vim.api.nvim_buf_get_lines(0, -3, -1, false), {
    ' 4000:5  remove_trailing_commas  - ,',
    ' 4000:4  unexpected_character',
  })
  local seconds = (vim.uv.hrtime() - start) / 1e9
  t.ok(seconds < 20, ('it took %.1f s'):format(seconds))
end)

t.test(':JsonRepairPreview', function()
  open()
  vim.cmd.JsonRepairPreview()
  t.wait(function()
    return #vim.api.nvim_list_tabpages() == 2
  end, 'the preview')
  local repair = vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(window)
    return window ~= vim.api.nvim_get_current_win()
  end)
  local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(repair), 0, -1, false)
  t.equal(table.concat(lines, '\n') .. '\n', repaired('{"level": True, "a": 1}'))
  local title = '6 edits in 4 lines; not valid at 4:11: unexpected character'
  t.ok(vim.wo[repair].winbar:find(title, 1, true), vim.wo[repair].winbar)
  vim.cmd.JsonRepairPreview()
end)

t.finish()
