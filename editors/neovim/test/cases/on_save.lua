local t = require('harness')

require('json_repair').setup({ on_save = true })

for _, name in ipairs(t.repairable) do
  t.test(name .. ': written repaired, once and for all', function()
    local path = t.open(name)
    vim.cmd('silent write')
    t.equal(t.read(path), t.as_written(t.repaired(name)))
    t.equal(vim.bo.modified, false, 'the buffer is what was written')
    vim.cmd('silent write')
    t.equal(t.read(path), t.as_written(t.repaired(name)), 'a second save changes nothing')
  end)
end

for _, name in ipairs(t.untouchable) do
  t.test(name .. ': written as it is', function()
    local path = t.open(name)
    vim.cmd('silent write')
    t.equal(t.read(path), t.fixture(name))
  end)
end

t.test('undo takes a repair on save back in one step', function()
  local name = 'commented-config.json'
  t.open(name)
  vim.cmd('silent write')
  t.undo_restores(t.fixture(name))
end)

t.test('what was typed a moment before is saved and repaired', function()
  local path = t.open_text('typed.json', '[1]\n')
  t.wait_for_server()
  vim.api.nvim_win_set_cursor(0, { 1, 1 })
  vim.cmd('silent normal! a, "ü", /* half */')
  vim.cmd('silent write')
  t.equal(t.read(path), '[1, "ü" ]\n')
end)

t.test('under a new name too', function()
  local path = t.open('trailing-commas.json')
  local new = vim.fs.joinpath(vim.fs.dirname(path), 'renamed.json')
  vim.cmd('silent saveas ' .. vim.fn.fnameescape(new))
  t.wait_for_server()
  t.equal(t.read(new), t.repaired('trailing-commas.json'), 'the first time')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '[1, 2,]' })
  vim.cmd('silent write')
  t.equal(t.read(new), '[1, 2]\n', 'later')
  t.equal(t.read(path), t.fixture('trailing-commas.json'), 'the old file')
end)

t.test('a new name is another language', function()
  local path = t.open('trailing-commas.json')
  local new = vim.fs.joinpath(vim.fs.dirname(path), 'tsconfig.json')
  vim.cmd('silent saveas ' .. vim.fn.fnameescape(new))
  t.equal(t.read(new), t.fixture('trailing-commas.json'))
end)

t.test('a buffer that gets its first name', function()
  vim.cmd('enew | setlocal filetype=json')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '{"pasted": ["ö", {"cut": tru' })
  vim.wait(200)
  t.equal(t.client(), nil, 'without a name it is not looked at')
  local path = vim.fn.tempname() .. '.json'
  vim.cmd('silent write ' .. vim.fn.fnameescape(path))
  t.wait_for_server()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '{"pasted": ["ö", {"cut": true' })
  vim.cmd('silent write')
  t.equal(t.read(path), '{"pasted": ["ö", {"cut": true}]}\n')
end)

t.finish()
