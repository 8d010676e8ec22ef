local t = require('harness')

t.enable()

--- Goes to the diagnostic with the given code and applies the one quick fix for just that.
local function fix_first(code, title)
  local target = vim.iter(t.diagnostics()):find(function(d)
    return d.code == code
  end)
  vim.api.nvim_win_set_cursor(0, { target.lnum + 1, target.col })
  t.code_action({
    filter = function(action)
      return action.kind == 'quickfix' and action.title:find(title) ~= nil
    end,
  })
end

local cases = {
  { 'commented-config.json', 'remove_comments', '^Remove comment', 6 },
  { 'commented-config-crlf.json', 'remove_comments', '^Remove comment', 6 },
  { 'trailing-commas.json', 'remove_trailing_commas', '^Remove trailing comma', 6 },
  { 'trailing-commas-crlf.json', 'remove_trailing_commas', '^Remove trailing comma', 6 },
}
for _, case in ipairs(cases) do
  local name, code, title, count = unpack(case)
  t.test(('%s: %s is fixed, nothing else, and undone in one step'):format(name, code), function()
    t.open(name)
    t.wait_for_diagnostics(count)
    local edit = vim.iter(t.contract((t.candidate(t.fixture(name)))).edits):find(function(e)
      return e.rule == code
    end)
    local before = t.buffer()
    local start = require('json_repair.compat').bytes_of_utf16(before, edit.offset)
    fix_first(code, title)
    t.equal(t.buffer(), before:sub(1, start) .. before:sub(start + #edit.removed + 1))
    t.wait_for_diagnostics(count - 1)
    t.undo_restores(t.fixture(name))
    t.wait_for_diagnostics(count)
  end)
end

local cut_off = { 'model-answer.json', 'cut-string.json', 'cut-string-crlf.json', 'dangling-comma.json' }
for _, name in ipairs(cut_off) do
  t.test(name .. ': the closing fix makes it valid, before the final newline', function()
    t.open(name)
    t.wait_for_diagnostics(#t.contract((t.candidate(t.fixture(name)))).edits)
    fix_first('close_truncated', '^Close ')
    t.equal(t.buffer(), t.repaired(name))
    t.wait_for_diagnostics(0)
    t.undo_restores(t.fixture(name))
  end)
end

t.test('all of a kind at once', function()
  local name = 'trailing-commas.json'
  t.open(name)
  t.wait_for_diagnostics(6)
  fix_first('remove_trailing_commas', '^Remove all 6 trailing commas')
  t.equal(t.buffer(), t.repaired(name))
  t.undo_restores(t.fixture(name))
end)

t.test('the whole repair from any defect', function()
  local name = 'commented-config.json'
  t.open(name)
  t.wait_for_diagnostics(6)
  fix_first('remove_trailing_commas', '^Repair JSON: 6 edits')
  t.equal(t.buffer(), t.repaired(name))
  t.undo_restores(t.fixture(name))
end)

t.test('a fix of very many edits, which Neovim asks for only when it is chosen', function()
  local before = '[' .. ('[1,],\n'):rep(500) .. '"é"]\n'
  t.open_text('many.json', before)
  t.wait_for_server()
  t.wait_for_diagnostics(500)
  fix_first('remove_trailing_commas', '^Remove all 500 trailing commas')
  t.equal(t.buffer(), '[' .. ('[1],\n'):rep(500) .. '"é"]\n')
  t.undo_restores(before)
end)

t.test('a fix asked for right after typing is for the new text', function()
  t.open_text('typing.json', '[1]\n')
  t.wait_for_server()
  vim.api.nvim_win_set_cursor(0, { 1, 1 })
  vim.cmd('silent normal! a, "ü",')
  t.code_action({
    filter = function(action)
      return action.kind == 'quickfix' and action.title:find('^Remove trailing comma') ~= nil
    end,
  })
  t.equal(t.buffer(), '[1, "ü"]\n')
end)

t.finish()
