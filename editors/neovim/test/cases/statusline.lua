local t = require('harness')

t.enable()

local statusline = require('json_repair').statusline

---@param expected string
local function wait_for(expected)
  t.wait(function()
    return statusline() == expected
  end, ('"%s", got "%s"'):format(expected, statusline()))
end

for name, expected in pairs({
  ['valid.json'] = 'valid',
  ['editor-settings.jsonc'] = 'valid',
  ['trailing-commas.json'] = '6 edits',
  ['model-answer.json'] = '1 edit',
  ['lost-quote.json'] = '1 edit, doubtful',
  ['missing-value.json'] = '2 edits, 3:14 unexpected character',
  ['events.jsonl'] = 'valid',
}) do
  t.test(('%s: "%s"'):format(name, expected), function()
    t.open(name)
    wait_for(expected)
  end)
end

t.test('it follows what is typed', function()
  t.open('valid.json')
  wait_for('valid')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '["é", 1,]' })
  wait_for('1 edit')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '["é", x,]' })
  wait_for('1 edit, 1:7 unexpected character')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '' })
  wait_for('')
end)

t.test('JSON Lines: the first line that stays wrong is named', function()
  t.open_text('a.jsonl', '[1,]\n\n{"a": 1, b: 2}\n[1 2]\n[3\n')
  wait_for('2 edits, 3:10 unexpected character')
end)

t.test('it counts what the diagnostics do not show', function()
  t.open_text('many.json', '[' .. ('[1,],'):rep(1200) .. '1]\n')
  wait_for('1200 edits')
end)

t.test('it asks the server for nothing', function()
  t.open('trailing-commas.json')
  wait_for('6 edits')
  local asked = {}
  vim.api.nvim_create_autocmd({ 'LspRequest', 'LspNotify' }, {
    callback = function(args)
      table.insert(asked, args.event)
    end,
  })
  local get, gets = vim.diagnostic.get, 0
  vim.diagnostic.get = function(...)
    gets = gets + 1
    return get(...)
  end
  for _ = 1, 1000 do
    statusline()
  end
  vim.diagnostic.get = get
  t.equal(asked, {})
  t.equal(gets, 0, 'nor for the diagnostics, where they are the same')
end)

t.test('it can stand in the status line', function()
  t.open('valid.json')
  wait_for('valid')
  vim.o.statusline = "%{v:lua.require'json_repair'.statusline()}"
  t.equal(vim.api.nvim_eval_statusline(vim.o.statusline, {}).str, 'valid')
  vim.o.statusline = ''
end)

t.test('it is of the buffer that is asked for', function()
  t.open('trailing-commas.json')
  local bufnr = vim.api.nvim_get_current_buf()
  wait_for('6 edits')
  t.open('valid.json')
  wait_for('valid')
  t.equal(statusline(bufnr), '6 edits')
  t.equal(statusline(0), 'valid')
end)

t.test('it is empty where the server does not look', function()
  for _, name in ipairs({ 'a.txt', 'a.jupyterlab-settings' }) do
    t.open_text(name, '{}\n')
    vim.wait(300)
    t.equal(statusline(), '', name)
  end
  vim.cmd('enew')
  t.equal(statusline(), '', 'a buffer without a name')
end)

t.test('it is empty when the server has ended', function()
  t.open('valid.json')
  wait_for('valid')
  t.stop_servers()
  wait_for('')
end)

t.finish()
