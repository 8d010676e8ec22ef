local t = require('harness')

t.enable()

--- The buffer's text below a diagnostic.
local function text_below(d)
  return table.concat(vim.api.nvim_buf_get_text(0, d.lnum, d.col, d.end_lnum, d.end_col, {}), '\n')
end

for _, name in ipairs(t.repairable) do
  t.test(('%s: a diagnostic for each edit, on what it removes'):format(name), function()
    t.open(name)
    local candidate = t.candidate(t.fixture(name))
    local expected = t.contract(candidate).edits
    t.wait_for_diagnostics(#expected)

    local removed, reported = {}, {}
    for _, edit in ipairs(expected) do
      if edit.removed ~= '' then
        table.insert(removed, { edit.rule, (edit.removed:gsub('\r\n', '\n')) })
      end
    end
    for _, d in ipairs(t.diagnostics()) do
      t.ok(d.message ~= '', 'a diagnostic has a message')
      t.equal(d.severity, vim.diagnostic.severity.ERROR, 'the text is not JSON: an error')
      if d.code == 'close_truncated' then
        t.ok(text_below(d) ~= '', 'the place to close at can be seen')
      else
        table.insert(reported, { d.code, text_below(d) })
      end
    end
    t.equal(reported, removed, 'the diagnostics lie on what is removed')
  end)
end

t.test('missing-value.json: what cannot be repaired is named at its place', function()
  t.open('missing-value.json')
  t.wait_for_diagnostics(3)
  local last
  for _, d in ipairs(t.diagnostics()) do
    if d.code == 'unexpected_character' then
      last = d
    end
  end
  t.ok(last, 'there is a diagnostic for it')
  t.equal({ last.lnum, last.col }, { 2, 13 }, 'it is where the value is missing')
end)

t.test('valid.json: none', function()
  t.open('valid.json')
  t.no_diagnostics()
end)

for _, name in ipairs({ 'editor-settings.jsonc', 'tsconfig.json' }) do
  t.test(name .. ': comments and trailing commas are allowed', function()
    t.open(name)
    t.equal(vim.bo.filetype, 'jsonc')
    t.no_diagnostics()
  end)
end

t.test('they follow the text', function()
  t.open('trailing-commas.json')
  t.wait_for_diagnostics(6)
  vim.api.nvim_buf_set_lines(0, 1, 2, false, {})
  t.wait_for_diagnostics(4)
  vim.cmd('silent undo')
  t.wait_for_diagnostics(6)
end)

t.finish()
