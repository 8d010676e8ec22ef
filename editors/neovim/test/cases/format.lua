local t = require('harness')

t.enable()

--- Formats the buffer once the server offers to: it does so after it has read its settings.
local function format()
  t.wait(function()
    return t.supports('textDocument/formatting')
  end, 'the server formats')
  vim.lsp.buf.format({ timeout_ms = 10000 })
end

for _, name in ipairs(t.repairable) do
  t.test(name .. ': formatting repairs', function()
    t.open(name)
    format()
    t.equal(t.buffer(), t.repaired(name))
    t.undo_restores(t.fixture(name))
  end)
end

for _, name in ipairs(t.untouchable) do
  t.test(name .. ': formatting leaves it alone', function()
    t.open(name)
    format()
    t.equal(t.buffer(), t.fixture(name))
    t.equal(vim.bo.modified, false, 'not even modified')
  end)
end

t.finish()
