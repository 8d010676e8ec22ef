local t = require('harness')

t.enable()

--- The report's lines, from its window, which must be the current one.
local function report()
  t.wait(function()
    return vim.bo.filetype == 'jsonrepairreport'
  end, 'the report is shown')
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

for _, name in ipairs(t.repairable) do
  t.test(('%s: :JsonRepair makes it the contract\'s text, and says so'):format(name), function()
    t.open(name)
    vim.cmd.JsonRepair()
    t.wait_for_message('; the document is valid')
    t.equal(t.buffer(), t.repaired(name))
    t.undo_restores(t.fixture(name))
  end)
end

t.test(':JsonRepair says what it did', function()
  t.open('commented-config.json')
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 5 comments and 1 trailing comma; the document is valid')
  vim.cmd.edit({ bang = true })
  t.open('dangling-comma.json')
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 1 trailing comma, closed with ]}}; the document is valid')
end)

t.test(':JsonRepair says where the result is still not valid', function()
  t.open('missing-value.json')
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 1 comment and 1 trailing comma; not valid at 3:14')
  t.equal(t.buffer(), t.repaired('missing-value.json'))
  t.messages = {}
  vim.cmd.JsonRepair()
  t.wait_for_message('Nothing to repair; not valid at 3:14: unexpected character')
end)

t.test(':JsonRepair applies a doubtful edit, because it was asked for', function()
  t.open('lost-quote.json')
  vim.cmd.JsonRepair()
  t.wait_for_message('Closed with "}; the document is valid')
  t.equal(t.buffer(), t.repaired('lost-quote.json'))
end)

for _, name in ipairs({ 'valid.json', 'editor-settings.jsonc', 'tsconfig.json' }) do
  t.test(name .. ': there is nothing to repair', function()
    t.open(name)
    for _, command in ipairs({ vim.cmd.JsonRepair, vim.cmd.JsonRepairReport }) do
      t.messages = {}
      command()
      t.wait_for_message('Nothing to repair; the document is valid')
    end
    t.equal(t.buffer(), t.fixture(name))
    t.equal(vim.bo.modified, false)
    t.equal(#vim.api.nvim_list_wins(), 1, 'no window was opened')
  end)
end

t.test(':JsonRepair waits for a server that is just starting', function()
  t.stop_servers()
  t.open_text('early.json', '[1,]\n')
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 1 trailing comma')
  t.equal(t.buffer(), '[1]\n')
end)

t.test(':JsonRepair leaves a buffer alone that may not be changed', function()
  t.open('trailing-commas.json')
  vim.bo.modifiable = false
  vim.cmd.JsonRepair()
  t.wait_for_message('not modifiable')
end)

t.test(':JsonRepair says why there is no server', function()
  t.open_text('a.txt', '[1,]\n')
  vim.cmd.JsonRepair()
  t.wait_for_message("filetype is 'text'; try :setlocal filetype=json")
end)

t.test(':JsonRepairReport shows place, rule, removed and inserted', function()
  t.open('commented-config-crlf.json')
  vim.cmd.JsonRepairReport()
  t.equal(report(), {
    'commented-config-crlf.json: 6 edits; the result is valid',
    '<CR> go there   q close   :JsonRepair repair',
    '',
    '    1:1  remove_comments         - // Settings of the weather station on the roof.',
    '   3:26  remove_comments         - // shown in the app',
    '    5:3  remove_comments',
    '         - /* Seconds between two readings.',
    '         -      Below 10 the sensor overheats. */',
    '   8:42  remove_comments         - /* "wind", */',
    '   9:54  remove_trailing_commas  - ,',
    '   9:56  remove_comments         - // SI, please',
  })
  t.equal(vim.bo.modifiable, false, 'it is for reading')
  vim.cmd.normal('q')
  t.equal(vim.fn.bufnr('json-repair://report'), -1, 'q closes it for good')
  t.equal(t.buffer(), t.fixture('commented-config-crlf.json'), 'nothing was changed')
end)

t.test(':JsonRepairReport shows what is inserted', function()
  t.open('dangling-comma.json')
  vim.cmd.JsonRepairReport()
  local lines = report()
  t.equal(lines[4], '   5:23  remove_trailing_commas  - ,')
  t.equal(lines[5], '   5:24  close_truncated         + ]}}')
  t.equal(vim.fn.line('w0'), 1, 'all of it can be seen')
  t.equal(vim.fn.line('w$'), #lines, 'all of it can be seen')

  local groups = vim.tbl_map(function(place)
    return vim.fn.synIDattr(vim.fn.synID(place[1], place[2], 1), 'name')
  end, { { 1, 1 }, { 2, 1 }, { 4, 6 }, { 4, 10 }, { 4, 34 }, { 5, 34 } })
  t.equal(groups, {
    'jsonRepairTitle',
    'jsonRepairKeys',
    'jsonRepairPlace',
    'jsonRepairRule',
    'jsonRepairRemoved',
    'jsonRepairInserted',
  })
end)

t.test(':JsonRepairReport is quick on very many edits in one very long line', function()
  local text = '[' .. ('["né 🙂",],'):rep(50000) .. '0]'
  t.open_text('long.json', text .. '\n')
  t.wait_for_server()
  local start = vim.uv.hrtime()
  vim.cmd.JsonRepairReport()
  local lines = report()
  t.equal(#lines, 3 + 50000)
  t.equal(lines[4], '    1:9  remove_trailing_commas  - ,')
  t.equal(lines[#lines], ('1:%d  remove_trailing_commas  - ,'):format(49999 * 10 + 9))
  local seconds = (vim.uv.hrtime() - start) / 1e9
  t.ok(seconds < 20, ('it took %.1f s'):format(seconds))
end)

t.test(':JsonRepairReport shows what stays wrong, where it is in the document', function()
  t.open('missing-value.json')
  t.wait_for_diagnostics(3)
  vim.cmd.JsonRepairReport()
  local lines = report()
  t.equal(lines[1], 'missing-value.json: 2 edits; the result is not valid')
  t.equal(lines[7], 'Still wrong after these edits')
  t.ok(lines[8]:find('^   3:14  unexpected_character    %S'), lines[8])
end)

t.test('<CR> goes to the place, also after the text has moved', function()
  t.open('commented-config.json')
  local window = vim.api.nvim_get_current_win()
  vim.cmd.JsonRepairReport()
  report()
  vim.api.nvim_win_set_cursor(0, { 5, 0 })
  vim.cmd.normal(vim.keycode('<CR>'))
  t.equal(vim.api.nvim_get_current_win(), window)
  local line = vim.api.nvim_get_current_line()
  t.equal(vim.api.nvim_win_get_cursor(0), { 3, line:find('//', 1, true) - 1 })

  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '', '' })
  vim.cmd.wincmd('p')
  -- The last line of a comment over two lines means that comment.
  vim.api.nvim_win_set_cursor(0, { 8, 0 })
  vim.cmd.normal(vim.keycode('<CR>'))
  t.equal(vim.api.nvim_win_get_cursor(0), { 7, 2 })
end)

t.test('a second report takes the place of the first', function()
  t.open('commented-config.json')
  vim.cmd.JsonRepairReport()
  report()
  vim.cmd.wincmd('p')
  vim.api.nvim_buf_set_lines(0, 0, 1, false, {})
  vim.cmd.JsonRepairReport()
  t.wait(function()
    return report()[1]:find('5 edits', 1, true)
  end, 'the report is new')
  t.equal(#vim.api.nvim_list_wins(), 2)
end)

t.test(':JsonRepair in the report repairs its document and closes the report', function()
  t.open('commented-config.json')
  vim.cmd.JsonRepairReport()
  report()
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 5 comments')
  t.equal(#vim.api.nvim_list_wins(), 1)
  t.equal(t.buffer(), t.repaired('commented-config.json'))
end)

t.test('the document may be closed before its report', function()
  local path = t.open('commented-config.json')
  vim.cmd.JsonRepairReport()
  report()
  vim.cmd.bwipeout({ path, bang = true })
  vim.cmd.normal(vim.keycode('<CR>'))
  vim.cmd.normal('q')
end)

t.finish()
