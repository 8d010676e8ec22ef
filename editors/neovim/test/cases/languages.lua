local t = require('harness')

require('json_repair').setup({ on_save = true })

--- The languages that the server was told, by file name.
local told = {}
local notify = vim.lsp.rpc.start
vim.lsp.rpc.start = function(cmd, dispatchers, extra)
  local rpc = notify(cmd, dispatchers, extra)
  local send = rpc.notify
  rpc.notify = function(method, params)
    if method == 'textDocument/didOpen' then
      told[vim.fs.basename(params.textDocument.uri)] = params.textDocument.languageId
    end
    return send(method, params)
  end
  return rpc
end

local languages = {
  { 'a.json', 'json' },
  { 'a.jsonc', 'jsonc' },
  { 'tsconfig.json', 'jsonc' },
  { 'a.jsonl', 'jsonl' },
  { 'a.ndjson', 'jsonl' },
  { 'a.jsonlines', 'jsonl' },
  { 'a.code-workspace', 'jsonc' },
  { 'a.code-snippets', 'jsonc' },
  { 'a.sublime-settings', 'jsonc' },
  { 'a.jupyterlab-settings', 'json5' },
  { 'a.jsonp', 'javascript' },
  { 'a.geojson', 'json' },
}
for _, case in ipairs(languages) do
  local name, language = unpack(case)
  t.test(('%s is %s'):format(name, language), function()
    t.open_text(name, '{}\n')
    t.wait(function()
      return told[name]
    end, 'the server is told about the file')
    t.equal(told[name], language)
  end)
end

t.test('json5 is none of our business', function()
  t.open_text('a.json5', '{a: 1,}\n')
  vim.wait(200)
  t.equal(t.client(), nil)
end)

t.test('a modeline that says jsonc is heard', function()
  local text = '// vim: ft=jsonc\n{"a": [1,],}\n'
  vim.o.modeline = true
  local path = t.open_text('modeline.json', text)
  t.wait_for_server()
  t.equal(told['modeline.json'], 'jsonc')
  t.no_diagnostics()
  vim.cmd('silent write')
  t.equal(t.read(path), text)
end)

t.test('a filetype that is set later is heard', function()
  local text = '{"a": [1,],}\n'
  local path = t.open_text('later.json', text)
  t.wait_for_server()
  t.wait_for_diagnostics(2)
  vim.cmd('setlocal filetype=jsonc')
  t.wait_for_diagnostics(0)
  vim.cmd('silent write')
  t.equal(t.read(path), text)
  vim.cmd('setlocal filetype=json')
  t.wait_for_diagnostics(2)
end)

t.test('a change of name that is refused changes nothing', function()
  t.open('trailing-commas.json')
  t.wait_for_diagnostics(6)
  local path = t.open('valid.json')
  vim.cmd.bprevious()
  t.wait_for_diagnostics(6)
  local renamed = pcall(vim.cmd.file, vim.fn.fnameescape(path))
  t.equal(renamed, false, 'the name is taken')
  vim.v.errmsg = ''
  t.wait_for_server()
  t.wait_for_diagnostics(6)
end)

t.test('a filetype of the person\'s own for a file name is kept', function()
  t.equal(vim.filetype.match({ filename = 'a.ndjson' }), 'jsonl')
  vim.filetype.add({ extension = { ndjson = 'mine' } })
  vim.cmd.runtime({ 'ftdetect/json_repair.lua', bang = true })
  t.equal(vim.filetype.match({ filename = 'a.ndjson' }), 'mine')
end)

t.finish()
