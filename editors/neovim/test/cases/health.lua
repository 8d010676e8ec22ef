local t = require('harness')

--- What :checkhealth says, as one text.
local function health()
  vim.cmd.checkhealth('json_repair')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd('silent! bwipeout!')
  return text
end

local function holds(text, part)
  t.ok(text:find(part, 1, true), ('expected "%s" in\n%s'):format(part, text))
end

t.test('a server that is not enabled', function()
  holds(health(), 'WARNING The server is not enabled')
end)

t.test('a server that is not running', function()
  require('json_repair').setup({ on_save = true })
  local text = health()
  holds(text, 'OK Neovim ')
  holds(text, 'OK json-repair-lsp ')
  holds(text, 'Enabled, not running')
  holds(text, 'onSave = true')
end)

t.test('a server at work', function()
  t.open('valid.json')
  -- Neovim 0.10 forgets what the server is called.
  local version = vim.tbl_get(assert(t.client()), 'server_info', 'version') or '?'
  local text = health()
  holds(text, ('OK json-repair-lsp %s'):format(version == '?' and '' or version .. ' ('))
  holds(text, ('runs version %s, attached to: '):format(version))
  holds(text, 'valid.json (json)')
  holds(text, 'repair on save is on')
end)

t.test('a buffer without a name', function()
  vim.cmd('enew | setlocal filetype=json')
  holds(health(), 'is no file: only the commands work there')
end)

t.test('a server that has ended', function()
  t.open('valid.json')
  t.stop_servers()
  holds(health(), 'valid.json has no server: ')
end)

t.test('a program that is no server', function()
  t.configure({ cmd = { 'false' } })
  holds(health(), "--version' failed")
end)

t.test('a missing program', function()
  t.configure({ cmd = { 'no-such-program' } })
  holds(health(), "ERROR 'no-such-program' is not an executable")
end)

t.finish()
