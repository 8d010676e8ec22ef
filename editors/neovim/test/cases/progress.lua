-- A first pass that takes long is seen, and can be cancelled. Only a build for debugging can be made slow.

local t = require('harness')

local SLOW = 'JSON_REPAIR_LSP_DEBUG_PASS_STEP'

if not t.read(vim.fn.exepath('json-repair-lsp')):find(SLOW, 1, true) then
  t.not_run('progress', 'the server is no build for debugging')
  t.finish()
  return
end

-- Milliseconds for every 32 KiB.
vim.env[SLOW] = '60'
t.enable()

--- What Neovim was told, one after the other.
---@type { kind: string, token: string, client_id: integer }[]
local told = {}
vim.api.nvim_create_autocmd('LspProgress', {
  callback = function(args)
    local params = args.data.params
    table.insert(told, { kind = params.value.kind, token = params.token, client_id = args.data.client_id })
  end,
})

local function has_come(kind)
  return function()
    return vim.iter(told):find(function(progress)
      return progress.kind == kind
    end)
  end
end

--- Opens a file of a megabyte.
local function open(name)
  told = {}
  t.open_text(name, '[' .. ('1, '):rep(350000) .. '1,]\n')
end

t.test('a long first pass is in vim.lsp.status()', function()
  open('big.json')
  local words = {}
  t.wait(function()
    table.insert(words, vim.lsp.status())
    return has_come('end')()
  end, 'the end')
  local shown = table.concat(words, ' ')
  t.ok(shown:find('%d+%%: Reading big.json'), shown)
  t.equal(told[1].kind, 'begin')
  t.wait_for_diagnostics(1)
end)

t.test('a change of the text is no first pass', function()
  open('big.json')
  t.wait_for_diagnostics(1)
  t.wait(has_come('end'), 'the end')
  told = {}
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '' })
  vim.wait(1000)
  t.equal(told, {})
  t.wait_for_diagnostics(1)
end)

t.test('it can be cancelled, and the next change is read', function()
  open('big.json')
  t.wait(has_come('begin'), 'the beginning')
  local params = { token = told[1].token }
  vim.lsp.get_client_by_id(told[1].client_id):notify('window/workDoneProgress/cancel', params)
  t.wait(has_come('end'), 'the end')
  t.wait_for_diagnostics(1)
  t.equal(t.diagnostics()[1].code, 'not_read')
  vim.cmd.JsonRepairReport()
  t.wait_for_message('was cancelled')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '[1,]' })
  t.wait_for_diagnostics(1)
end)

t.finish()
