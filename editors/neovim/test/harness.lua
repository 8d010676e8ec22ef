-- What every case needs: a fixture opened as a person opens it, the contract's answer to compare
-- with, and a line of output for each test. A case is a Lua file that a fresh headless Neovim runs
-- after it has started up, with the plugin on the runtime path and nothing configured.

local M = {}

--- One of the plugin's modules, loaded when it is used: one case loads the plugin itself.
---@param name string
local function module(name)
  return setmetatable({}, {
    __index = function(_, key)
      return require(name)[key]
    end,
  })
end

local attach = module('json_repair.attach')
local compat = module('json_repair.compat')
local fixtures = vim.env.JSON_REPAIR_FIXTURES
local patience = 10000

--- What the plugin and Neovim told the person.
---@type string[]
M.messages = {}

-- Not the standard output: Neovim writes its messages there.
local results = assert(io.open(vim.env.JSON_REPAIR_RESULTS, 'a'))

local function print_line(...)
  results:write(table.concat({ ... }), '\n')
  results:flush()
end

-- A case that hangs in a prompt or a loop of events must not hang the tests.
vim.defer_fn(function()
  print_line('not ok - the case did not end in time')
  vim.cmd('cquit 1')
end, 120000)

vim.notify = function(message)
  table.insert(M.messages, message)
end

--- Runs a test: it has passed when the function returns.
---@param name string
---@param run fun()
function M.test(name, run)
  M.messages = {}
  vim.v.errmsg = ''
  local passed, failure = xpcall(run, debug.traceback)
  if passed and vim.v.errmsg ~= '' then
    passed, failure = false, 'Neovim reported an error: ' .. vim.v.errmsg
  end
  print_line(passed and 'ok - ' or 'not ok - ', name)
  if not passed then
    print_line('  # ', (failure:gsub('\n', '\n  # ')))
    if #M.messages > 0 then
      print_line('  # messages: ', (vim.inspect(M.messages):gsub('\n', '\n  # ')))
    end
  end
  vim.cmd('silent! only | silent! %bwipeout!')
end

--- Says that a test cannot be run, and why.
---@param name string
---@param reason string
function M.not_run(name, reason)
  print_line('not run - ', name, ': ', reason)
end

--- Runs a case. It is called when Neovim has started: -c alone would be a little too early.
---@param path string
function M.run(path)
  local passed, failure = xpcall(dofile, debug.traceback, path)
  if not passed then
    io.stderr:write(failure, '\n')
    vim.cmd('cquit 1')
  end
end

--- Ends the case. Without this its runner counts it as failed.
function M.finish()
  results:write('end of case\n')
  results:close()
  vim.cmd('qall!')
end

function M.ok(value, message)
  if not value then
    error(message or 'expected a true value', 2)
  end
end

function M.equal(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    error(('%s\n  expected %s\n  got      %s'):format(
      what or 'not equal',
      vim.inspect(expected),
      vim.inspect(actual)
    ), 2)
  end
end

---@param predicate fun(): any
---@param what string
function M.wait(predicate, what)
  if not vim.wait(patience, predicate, 10) then
    error('waited in vain: ' .. what, 2)
  end
end

--- Waits for a message that holds the given text.
---@param text string
function M.wait_for_message(text)
  M.wait(function()
    return vim.iter(M.messages):any(function(message)
      return message:find(text, 1, true) ~= nil
    end)
  end, ('a message with "%s"'):format(text))
end

---@param path string
---@return string
function M.read(path)
  local file = assert(io.open(path, 'rb'))
  local bytes = file:read('*a')
  file:close()
  return bytes
end

---@param path string
---@param bytes string
function M.write(path, bytes)
  local file = assert(io.open(path, 'wb'))
  file:write(bytes)
  file:close()
end

---@param name string
---@return string
function M.fixture(name)
  return M.read(vim.fs.joinpath(fixtures, name))
end

--- The fixtures that a repair makes valid with no edit in doubt: what unasked repair is for.
M.repairable = {
  'model-answer.json',
  'commented-config.json',
  'commented-config-crlf.json',
  'trailing-commas.json',
  'trailing-commas-crlf.json',
  'cut-string.json',
  'cut-string-crlf.json',
  'dangling-comma.json',
}

--- The fixtures that no unasked repair may touch.
M.untouchable = {
  'valid.json',
  'editor-settings.jsonc',
  'tsconfig.json',
  'events.jsonl',
  'missing-value.json',
  'lost-quote.json',
}

--- Configures the server as a person does who has no use for setup().
---@param config vim.lsp.Config
function M.configure(config)
  if compat.has_lsp_config() then
    vim.lsp.config('json_repair', config)
  else
    -- Up to Neovim 0.10 there is only setup(), which says no more than this to its own modules.
    attach.configure(config)
  end
end

function M.enable()
  if compat.has_lsp_config() then
    vim.lsp.enable('json_repair')
  else
    require('json_repair').setup()
  end
end

---@return vim.lsp.Client?
function M.client()
  return vim.lsp.get_clients({ bufnr = 0, name = 'json_repair' })[1]
end

--- Whether the server offers a feature.
---@param method string
function M.supports(method)
  return compat.supports_method(assert(M.client()), method, vim.api.nvim_get_current_buf())
end

--- Sends a request about the current buffer and waits for the answer.
---@param method string
---@param params table
---@return { err: table?, result: any }
function M.request(method, params)
  -- Not buffer 0: Neovim would not send the pending changes first.
  local bufnr = vim.api.nvim_get_current_buf()
  local response, failure = compat.call(assert(M.client()), 'request_sync', method, params, patience, bufnr)
  M.ok(response, ('the server does not answer %s: %s'):format(method, failure))
  return response
end

--- Sends a command about the current buffer and waits for the answer.
---@param command string
---@param arguments table
---@return table
function M.command(command, arguments)
  local response = M.request('workspace/executeCommand', { command = command, arguments = { arguments } })
  M.equal(response.err, nil, 'the server answers without an error')
  return response.result
end

--- Ends every server.
function M.stop_servers()
  for _, client in ipairs(vim.lsp.get_clients({ name = 'json_repair' })) do
    compat.call(client, 'stop')
    M.wait(function()
      return compat.call(client, 'is_stopped')
    end, 'the server has stopped')
  end
end

--- Waits for the server, and lets it answer once, so that it has seen the buffer.
function M.wait_for_server()
  M.wait(M.client, 'the server is attached')
  -- Whatever it answers: some files are none that it looks at.
  local uri = vim.uri_from_bufnr(0)
  M.request('workspace/executeCommand', { command = 'jsonRepair.report', arguments = { { uri = uri } } })
end

--- Writes a file in a directory of its own and opens it. Returns its path.
---@param name string
---@param bytes string
---@return string
function M.open_text(name, bytes)
  local directory = vim.fn.tempname()
  vim.fn.mkdir(directory, 'p')
  local path = vim.fs.joinpath(directory, name)
  M.write(path, bytes)
  vim.cmd.edit(vim.fn.fnameescape(path))
  return path
end

--- Opens a copy of a fixture and waits for the server. Returns the copy's path.
---@param name string
---@return string
function M.open(name)
  local path = M.open_text(name, M.fixture(name))
  M.wait_for_server()
  return path
end

--- The bytes that the buffer would be written as, but for a missing final newline.
---@return string
function M.buffer()
  local line_ending = vim.bo.fileformat == 'dos' and '\r\n' or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), line_ending)
  return vim.bo.endofline and text .. line_ending or text
end

--- The server binary's own answer under the contract.
---@param text string
---@return table
function M.contract(text)
  local stdin = vim.json.encode({ text = text })
  local result = vim.system({ 'json-repair-lsp', 'execute' }, { stdin = stdin }):wait()
  M.equal(result.code, 0, 'the contract answers: ' .. (result.stderr or ''))
  return vim.json.decode(result.stdout, { luanil = { object = true } })
end

--- A file's candidate, which is what is repaired, and the line endings after it.
---@param bytes string
---@return string, string
function M.candidate(bytes)
  local candidate = bytes:gsub('[\r\n]+$', '')
  return candidate, bytes:sub(#candidate + 1)
end

--- What the whole repair makes of a fixture: the contract's text with the final line endings. The
--- answer beside the fixture must agree.
---@param name string
---@return string
function M.repaired(name)
  local candidate, line_endings = M.candidate(M.fixture(name))
  local text = M.contract(candidate).text .. line_endings
  M.equal(text, M.fixture(name .. '.repaired'), 'the contract agrees with ' .. name .. '.repaired')
  return text
end

--- Neovim gives a file without a final newline one when it writes it.
---@param bytes string
---@return string
function M.as_written(bytes)
  return bytes:sub(-1) == '\n' and bytes or bytes .. '\n'
end

--- The server's diagnostics on the buffer, in document order.
---@return vim.Diagnostic[]
function M.diagnostics()
  local diagnostics = vim.tbl_filter(function(diagnostic)
    return diagnostic.source == 'json-repair'
  end, vim.diagnostic.get(0))
  table.sort(diagnostics, function(a, b)
    return a.lnum < b.lnum or a.lnum == b.lnum and a.col < b.col
  end)
  return diagnostics
end

---@param count integer
function M.wait_for_diagnostics(count)
  if not vim.wait(patience, function()
    return #M.diagnostics() == count
  end, 10) then
    error(('expected %d diagnostics, got %s'):format(count, vim.inspect(M.diagnostics())), 2)
  end
end

--- Checks for a while that there are none: long enough for a wrong one to arrive.
function M.no_diagnostics()
  vim.wait(500, function()
    return #M.diagnostics() > 0
  end, 10)
  M.equal(M.diagnostics(), {}, 'no diagnostics')
end

--- Applies the one code action that passes the filter, as a person's keys would.
---@param options vim.lsp.buf.code_action.Opts
function M.code_action(options)
  local tick = vim.api.nvim_buf_get_changedtick(0)
  vim.lsp.buf.code_action(vim.tbl_extend('force', { apply = true }, options))
  M.wait(function()
    return vim.api.nvim_buf_get_changedtick(0) ~= tick
  end, 'the code action changes the buffer')
end

--- Asks for the unasked repair of the whole document.
function M.fix_all()
  M.code_action({ context = { only = { 'source.fixAll.jsonRepair' }, diagnostics = {} } })
end

--- The code actions that a request is answered with.
---@param context table
---@return table[]
function M.code_actions(context)
  local params = vim.lsp.util.make_range_params(0, assert(M.client()).offset_encoding)
  params.context = vim.tbl_extend('force', { diagnostics = {}, triggerKind = 1 }, context)
  local response = M.request('textDocument/codeAction', params)
  M.equal(response.err, nil, 'the server answers without an error')
  return response.result or {}
end

--- Undoes the last change and checks that this was all of it.
---@param bytes string
function M.undo_restores(bytes)
  vim.cmd('silent undo')
  M.equal(M.buffer(), bytes, 'undo restores the text in one step')
end

return M
