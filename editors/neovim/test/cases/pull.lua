-- `diagnostics.pull`: Neovim asks for the diagnostics, and nothing is published.

local t = require('harness')

require('json_repair').setup({ settings = { diagnostics = { pull = true } } })

local published = 0
local publish = vim.lsp.handlers['textDocument/publishDiagnostics']
vim.lsp.handlers['textDocument/publishDiagnostics'] = function(failure, params, ...)
  published = published + #params.diagnostics
  return publish(failure, params, ...)
end

t.test('the diagnostics are there, and follow the text', function()
  t.open('trailing-commas.json')
  t.wait_for_diagnostics(6)
  vim.api.nvim_buf_set_lines(0, 1, 2, false, {})
  t.wait_for_diagnostics(4)
  t.equal(require('json_repair').statusline(), '4 edits')
  t.equal(published, 0)
end)

t.test('so are those of JSON Lines', function()
  t.open_text('a.jsonl', '[1,]\n[2\n')
  t.wait_for_diagnostics(2)
  t.equal(published, 0)
end)

t.finish()
