local t = require('harness')

t.enable()

for _, name in ipairs(t.repairable) do
  t.test(name .. ': the file on disk is the contract\'s text, and undo takes it back', function()
    local path = t.open(name)
    t.fix_all()
    t.equal(t.buffer(), t.repaired(name))
    vim.cmd('silent write')
    t.equal(t.read(path), t.as_written(t.repaired(name)))
    t.wait_for_diagnostics(0)
    t.equal(t.code_actions({ only = { 'source.fixAll.jsonRepair' } }), {}, 'there is no second fix')
    t.undo_restores(t.fixture(name))
  end)
end

for _, name in ipairs(t.untouchable) do
  t.test(name .. ': there is nothing to apply', function()
    local path = t.open(name)
    t.equal(t.code_actions({ only = { 'source.fixAll.jsonRepair' } }), {})
    vim.cmd('silent write')
    t.equal(t.read(path), t.fixture(name))
  end)
end

t.test('other tools\' kinds are not answered', function()
  t.open('trailing-commas.json')
  t.equal(t.code_actions({ only = { 'source.organizeImports' } }), {})
end)

t.finish()
