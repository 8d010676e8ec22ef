local t = require('harness')

t.enable()

--- The windows of the preview: the document's and the repair's.
---@return integer, integer
local function windows()
  t.wait(function()
    return #vim.api.nvim_list_tabpages() == 2
  end, 'the preview is shown')
  local all = vim.api.nvim_tabpage_list_wins(0)
  t.equal(#all, 2, 'two windows')
  return all[1], all[2]
end

--- The repair's window shows this text in the end.
---@param window integer
---@param text string
local function wait_for_repair(window, text)
  local expected = vim.split((text:gsub('\r\n', '\n'):gsub('\n$', '')), '\n')
  t.wait(function()
    local bufnr = vim.api.nvim_win_get_buf(window)
    return vim.deep_equal(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), expected)
  end, 'the repair is shown: ' .. text)
end

--- Nothing of a preview is left.
local function nothing_is_left()
  t.wait(function()
    return #vim.api.nvim_list_tabpages() == 1
  end, 'the tab page is closed')
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    t.ok(not vim.api.nvim_buf_get_name(bufnr):find('json-repair://', 1, true), 'the buffer is gone')
  end
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    t.equal(vim.wo[window].diff, false, 'diff mode')
    t.equal(vim.wo[window].winbar, '')
  end
  t.equal(vim.o.scrollopt, 'ver,jump')
end

for _, name in ipairs({ 'commented-config.json', 'commented-config-crlf.json', 'cut-string.json' }) do
  t.test(name .. ': the document and its repair, in diff mode', function()
    t.open(name)
    vim.cmd.JsonRepairPreview()
    local document, repair = windows()
    t.equal(vim.api.nvim_get_current_win(), document)
    t.equal({ vim.wo[document].diff, vim.wo[repair].diff }, { true, true })
    t.equal({ vim.wo[document].foldmethod, vim.wo[repair].foldmethod }, { 'diff', 'diff' })
    wait_for_repair(repair, t.repaired(name))
    t.ok(vim.wo[repair].winbar:find('the result is valid', 1, true), vim.wo[repair].winbar)
    t.equal(t.buffer(), t.fixture(name), 'nothing is changed')
    t.equal(vim.bo.modified, false)
    local bufnr = vim.api.nvim_win_get_buf(repair)
    t.equal({ vim.bo[bufnr].modifiable, vim.bo[bufnr].modified }, { false, false })
    t.equal(vim.bo[bufnr].buflisted, false)
    t.equal(vim.lsp.get_clients({ bufnr = bufnr }), {}, 'no server looks at the repair')
    vim.cmd.JsonRepairPreview()
    nothing_is_left()
  end)
end

t.test('it is current while typing, and says what stays wrong', function()
  t.open_text('typed.json', '{\n"a": [1,]\n}\n')
  t.wait_for_server()
  vim.cmd.JsonRepairPreview()
  local _, repair = windows()
  wait_for_repair(repair, '{\n"a": [1]\n}\n')
  vim.bo.formatoptions, vim.bo.indentexpr = '', ''
  vim.api.nvim_feedkeys('ggA // x' .. vim.keycode('<CR>') .. '"b": tru,', 'xt', false)
  wait_for_repair(repair, '{ \n"b": tru,\n"a": [1]\n}\n')
  t.wait(function()
    return vim.wo[repair].winbar:find('not valid at 2:9: ', 1, true)
  end, 'the error')
  vim.cmd('silent undo')
  wait_for_repair(repair, '{\n"a": [1]\n}\n')
  -- Many changes at once, and the last one counts.
  for i = 1, 50 do
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { '[', i .. ',', ']' })
    vim.wait(5)
  end
  wait_for_repair(repair, '[\n50\n]\n')
  t.equal(vim.fn.diff_hlID(2, 1) ~= 0, true, 'the difference is shown')
  vim.cmd('silent edit!')
  wait_for_repair(repair, '{\n"a": [1]\n}\n')
  vim.cmd.JsonRepairPreview()
  nothing_is_left()
end)

t.test("the cursor, the view and the folds of the person's window are as before", function()
  local lines = { '[' }
  for i = 1, 200 do
    table.insert(lines, ('  {"n": %d},'):format(i))
  end
  table.insert(lines, ']')
  t.open_text('long.json', table.concat(lines, '\n') .. '\n')
  t.wait_for_server()
  vim.wo.foldmethod = 'manual'
  vim.wo.foldcolumn = '2'
  vim.wo.wrap = false
  vim.cmd('20,40fold | 60,80fold')
  vim.cmd('60foldopen')
  vim.fn.winrestview({ lnum = 100, col = 5, topline = 90, curswant = 5 })
  local window = vim.api.nvim_get_current_win()
  local function state()
    return vim.api.nvim_win_call(window, function()
      return {
        vim.fn.winsaveview(),
        { vim.fn.foldclosed(20), vim.fn.foldclosedend(20), vim.fn.foldclosed(60), vim.fn.foldlevel(60) },
        { vim.wo.foldmethod, vim.wo.foldcolumn, vim.wo.wrap },
        { vim.wo.scrollbind, vim.wo.cursorbind, vim.wo.diff },
      }
    end)
  end
  local before = state()
  t.equal(before[2], { 20, 40, -1, 1 })
  local ways = { 'JsonRepairPreview', 'quit', 'tabclose', 'wincmd l | normal q', 'wincmd l | quit' }
  for _, close in ipairs(ways) do
    vim.cmd.JsonRepairPreview()
    local document = windows()
    vim.api.nvim_win_set_cursor(document, { 3, 0 })
    vim.cmd('normal! zRzj')
    vim.cmd(close)
    nothing_is_left()
    t.equal(vim.api.nvim_get_current_win(), window, close)
    t.equal(state(), before, close)
  end
end)

t.test(':JsonRepair in it makes the repair and closes it', function()
  for _, side in ipairs({ 'h', 'l' }) do
    t.open('commented-config.json')
    vim.cmd.JsonRepairPreview()
    windows()
    vim.cmd.wincmd(side)
    t.messages = {}
    vim.cmd.JsonRepair()
    t.wait_for_message('Deleted 5 comments and 1 trailing comma')
    nothing_is_left()
    t.equal(t.buffer(), t.repaired('commented-config.json'))
    t.undo_restores(t.fixture('commented-config.json'))
    vim.cmd('silent bwipeout!')
  end
end)

t.test('one difference can be taken over', function()
  t.open('commented-config.json')
  vim.cmd.JsonRepairPreview()
  windows()
  vim.cmd('normal! 3Gdo')
  t.equal(vim.api.nvim_get_current_line():find('//', 1, true), nil)
  vim.cmd.JsonRepairPreview()
  nothing_is_left()
end)

t.test(':JsonRepairReport in it is about the document', function()
  t.open('commented-config.json')
  vim.cmd.JsonRepairPreview()
  windows()
  vim.cmd.wincmd('l')
  vim.cmd.JsonRepairReport()
  t.wait(function()
    return vim.bo.filetype == 'jsonrepairreport'
  end, 'the report')
  t.ok(vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]:find('^commented%-config.json: 6 edits'))
  vim.cmd.JsonRepairPreview()
  t.wait(function()
    return #vim.api.nvim_tabpage_list_wins(0) == 1 or #vim.api.nvim_list_tabpages() == 1
  end, 'the windows of the preview are closed')
end)

t.test('the document goes away', function()
  for _, how in ipairs({ 'bwipeout!', 'bdelete!', 'enew!' }) do
    t.open('commented-config.json')
    vim.cmd.JsonRepairPreview()
    windows()
    vim.cmd(how)
    vim.wait(100)
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      t.equal(vim.wo[window].diff, false, how)
    end
    vim.cmd('silent! tabonly | silent! only | silent! %bwipeout!')
    nothing_is_left()
  end
end)

t.test('two documents have one each', function()
  t.open('commented-config.json')
  local first = vim.api.nvim_get_current_buf()
  vim.cmd.JsonRepairPreview()
  windows()
  vim.cmd('tabnew')
  t.open('trailing-commas.json')
  vim.cmd.JsonRepairPreview()
  t.wait(function()
    return #vim.api.nvim_list_tabpages() == 4
  end, 'the second preview')
  -- From any window: the document is named.
  require('json_repair').preview(first)
  t.equal(#vim.api.nvim_list_tabpages(), 3)
  t.ok(vim.wo.diff, 'the second is still there')
  vim.cmd.JsonRepairPreview()
  t.equal(#vim.api.nvim_list_tabpages(), 2)
  vim.cmd('tabonly')
  nothing_is_left()
end)

t.test('a name that means something in a window bar', function()
  t.open_text("100%{0}'é.json", '[1,]\n')
  t.wait_for_server()
  vim.cmd.JsonRepairPreview()
  local document = windows()
  local options = { winid = document, use_winbar = true }
  local bar = vim.api.nvim_eval_statusline(vim.wo[document].winbar, options).str
  t.ok(vim.startswith(bar, " 100%{0}'é.json"), bar)
  vim.cmd.JsonRepairPreview()
  nothing_is_left()
end)

t.test('where there is nothing to repair, there is no preview', function()
  t.open('valid.json')
  vim.cmd.JsonRepairPreview()
  t.wait_for_message('Nothing to repair; the document is valid')
  t.equal(#vim.api.nvim_list_tabpages(), 1)
end)

t.test('the server ends in the meantime', function()
  t.open('commented-config.json')
  vim.cmd.JsonRepairPreview()
  local _, repair = windows()
  t.stop_servers()
  vim.api.nvim_buf_set_lines(0, 0, 1, false, { '' })
  t.wait(function()
    return vim.wo[repair].winbar:find('not running', 1, true)
  end, 'it says so')
  vim.cmd.JsonRepairPreview()
  nothing_is_left()
end)

t.finish()
