-- A buffer without a name, or one that is no file: the commands work there, and do nothing elsewhere.

local t = require('harness')

t.enable()

--- Makes a buffer as a person does who pastes into an empty one.
---@param text string
---@param command? string
local function paste(text, command)
  vim.cmd(command or 'enew')
  vim.api.nvim_paste(text, false, -1)
end

--- The text of a fixture that is no file any more: a buffer ends its last line.
local function pasted(name)
  return (t.fixture(name):gsub('\r\n', '\n'):gsub('\n$', ''))
end

local function buffer_list()
  return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())
end

t.test('a pasted buffer is repaired, though no server has run yet, and undone in one step', function()
  paste(pasted('commented-config.json'))
  local before = t.buffer()
  t.equal(#vim.lsp.get_clients(), 0)
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 5 comments and 1 trailing comma; the document is valid')
  t.equal(t.buffer(), t.repaired('commented-config.json'))
  t.equal(vim.api.nvim_buf_get_name(0), '', 'it has no name')
  t.equal(vim.bo.filetype, '', 'and no filetype')
  t.equal(t.client(), nil, 'and no server')
  t.undo_restores(before)
end)

for _, name in ipairs(t.repairable) do
  t.test(name .. ', pasted', function()
    paste(pasted(name))
    local before = t.buffer()
    vim.cmd.JsonRepair()
    t.wait_for_message('; the document is valid')
    local expected = t.contract(t.candidate(pasted(name) .. '\n')).text
    t.equal(t.buffer(), expected .. '\n')
    t.undo_restores(before)
  end)
end

t.test('with the line endings of DOS and of the old Macintosh', function()
  for _, format in ipairs({ 'dos', 'mac' }) do
    t.messages = {}
    vim.cmd('enew!')
    vim.bo.fileformat = format
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { '// é 🙂', '[1, /* a', 'b */', '"🙂", ]', '// end' })
    vim.cmd.JsonRepair()
    t.wait_for_message('Deleted 3 comments and 1 trailing comma; the document is valid')
    t.equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), { '', '[1, ', '"🙂" ]', '' })
  end
end)

t.test('only the buffer that is meant, where several have no name', function()
  paste('[1,]')
  local first = vim.api.nvim_get_current_buf()
  paste('["second",]', 'new')
  local second = vim.api.nvim_get_current_buf()
  paste('{"third": tru', 'new')
  require('json_repair').repair(first)
  t.wait_for_message('Deleted 1 trailing comma; the document is valid')
  t.equal(vim.api.nvim_buf_get_lines(first, 0, -1, false), { '[1]' })
  t.equal(vim.api.nvim_buf_get_lines(second, 0, -1, false), { '["second",]' })
  t.equal(t.buffer(), '{"third": tru\n')
end)

t.test('a filetype decides as it does for files', function()
  paste('// kept\n[1,')
  vim.bo.filetype = 'jsonc'
  vim.cmd.JsonRepair()
  t.wait_for_message('Closed with ]; the document is valid')
  t.equal(t.buffer(), '// kept\n[1,]\n')
end)

t.test('a filetype that is no JSON is left alone', function()
  paste('x = [1,]')
  vim.bo.filetype = 'python'
  vim.cmd.JsonRepair()
  t.wait_for_message("filetype is 'python'; try :setlocal filetype=json")
  t.equal(t.buffer(), 'x = [1,]\n')
end)

t.test('JSON Lines are repaired line by line', function()
  paste('[1,]\n{"a": 1}\n{"é🙂": "cut')
  vim.bo.filetype = 'jsonl'
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 1 trailing comma, closed with "}; the document is valid')
  t.equal(t.buffer(), '[1]\n{"a": 1}\n{"é🙂": "cut"}\n')
  t.undo_restores('[1,]\n{"a": 1}\n{"é🙂": "cut\n')
end)

t.test('a scratch buffer of a plugin, which has a name', function()
  vim.cmd('new')
  vim.bo.buftype = 'nofile'
  vim.bo.filetype = 'json'
  vim.api.nvim_buf_set_name(0, 'http://example.test/answer')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '{"a": [1,' })
  vim.cmd.JsonRepair()
  t.wait_for_message('Deleted 1 trailing comma, closed with ]}; the document is valid')
  t.equal(t.buffer(), '{"a": [1]}\n')
end)

t.test('a change in the meantime is not overwritten', function()
  paste('[1,]')
  vim.cmd.JsonRepair()
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// and' })
  t.wait_for_message('Nothing was changed')
  t.equal(t.buffer(), '// and\n[1,]\n')
end)

t.test('bytes that are no UTF-8 are not sent', function()
  vim.cmd('enew')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '["\255\254", 1, /* \200 */ 2,]' })
  local before = t.buffer()
  for _, command in ipairs({ vim.cmd.JsonRepair, vim.cmd.JsonRepairReport, vim.cmd.JsonRepairPreview }) do
    t.messages = {}
    command()
    t.wait_for_message('no UTF-8')
    t.equal(t.buffer(), before)
  end
end)

t.test(':JsonRepairReport', function()
  paste('{"é": [1,], // x\n"cut')
  vim.bo.filetype = 'json'
  vim.cmd.JsonRepairReport()
  t.wait(function()
    return vim.bo.filetype == 'jsonrepairreport'
  end, 'the report')
  t.equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), {
    'A buffer without a name: 3 edits; the result is not valid',
    '<CR> go there   q close   :JsonRepair repair',
    '',
    '    1:9  remove_trailing_commas  - ,',
    '   1:13  remove_comments         - // x',
    '    2:5  close_truncated         + "}',
    '',
    'Still wrong after these edits',
    '    2:5  unexpected_character',
  })
  vim.cmd.JsonRepair()
  t.wait_for_message('not valid at 2:6')
  t.equal(t.buffer(), '{"é": [1], \n"cut"}\n')
end)

t.test(':JsonRepairPreview', function()
  paste('[1,]')
  local document = vim.api.nvim_get_current_buf()
  vim.cmd.JsonRepairPreview()
  t.wait(function()
    return #vim.api.nvim_list_tabpages() == 2
  end, 'the preview')
  local repair
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local bufnr = vim.api.nvim_win_get_buf(window)
    repair = bufnr ~= document and bufnr or repair
  end
  t.equal(vim.api.nvim_buf_get_lines(repair, 0, -1, false), { '[1]' })
  vim.api.nvim_buf_set_lines(document, 0, -1, false, { '[1,2,' })
  t.wait(function()
    return vim.api.nvim_buf_get_lines(repair, 0, -1, false)[1] == '[1,2]'
  end, 'it follows')
  vim.cmd.JsonRepair()
  t.wait_for_message('the document is valid')
  t.equal(#vim.api.nvim_list_tabpages(), 1)
  t.equal(t.buffer(), '[1,2]\n')
end)

t.test('there is nothing to repair', function()
  for _, command in ipairs({ vim.cmd.JsonRepair, vim.cmd.JsonRepairReport, vim.cmd.JsonRepairPreview }) do
    paste('[1]', 'enew!')
    t.messages = {}
    command()
    t.wait_for_message('Nothing to repair; the document is valid')
    t.equal(t.buffer(), '[1]\n')
  end
end)

t.test('no buffer is made for what the server says about it', function()
  paste('[1,]')
  local before = buffer_list()
  vim.cmd.JsonRepair()
  t.wait_for_message('the document is valid')
  vim.wait(400)
  t.equal(buffer_list(), before)
  t.equal(vim.diagnostic.get(), {})
end)

t.test('a named buffer has its diagnostics as ever, from the same server', function()
  t.open('trailing-commas.json')
  t.wait_for_diagnostics(6)
end)

t.test('a name later makes it an ordinary buffer', function()
  paste('[1,]')
  vim.bo.filetype = 'json'
  vim.cmd.JsonRepair()
  t.wait_for_message('the document is valid')
  local path = vim.fn.tempname() .. '.json'
  vim.cmd('silent write ' .. vim.fn.fnameescape(path))
  t.wait_for_server()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '[2,]' })
  t.wait_for_diagnostics(1)
end)

t.finish()
