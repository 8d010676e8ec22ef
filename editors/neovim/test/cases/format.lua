local t = require('harness')

vim.lsp.enable('json_repair')

for _, name in ipairs(t.repairable) do
  t.test(name .. ': formatting repairs', function()
    t.open(name)
    vim.lsp.buf.format({ timeout_ms = 10000 })
    t.equal(t.buffer(), t.repaired(name))
    t.undo_restores(t.fixture(name))
  end)
end

for _, name in ipairs(t.untouchable) do
  t.test(name .. ': formatting leaves it alone', function()
    t.open(name)
    vim.lsp.buf.format({ timeout_ms = 10000 })
    t.equal(t.buffer(), t.fixture(name))
    t.equal(vim.bo.modified, false, 'not even modified')
  end)
end

t.finish()
