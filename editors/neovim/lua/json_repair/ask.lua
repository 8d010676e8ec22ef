-- Asks the server what it would repair, in any buffer that it can look at.
--
-- Most buffers are attached: Neovim keeps the server's document in step, under the buffer's name. A
-- buffer without a name, or one that is no file, has no URI that leads back to it: `file://` is that
-- of all of them, and Neovim would apply an edit for it to a new buffer. For these the text is sent
-- along with each question, as a document with a made-up name that is closed after the answer, and
-- the edits are applied here.

local attach = require('json_repair.attach')
local compat = require('json_repair.compat')
local position = require('json_repair.position')

local M = {}

local PUBLISH = 'textDocument/publishDiagnostics'
local SCHEME = 'untitled:'

local documents = 0

--- Keeps diagnostics for the made-up documents away from Neovim, which would create buffers for them.
---@param client vim.lsp.Client
local function ignore_made_up_documents(client)
  local handlers = client.handlers
  local wrapped = rawget(handlers, '_json_repair')
  if wrapped and handlers[PUBLISH] == wrapped then
    return
  end
  local inner = handlers[PUBLISH]
  local function publish(failure, params, ...)
    if params and vim.startswith(params.uri, SCHEME) then
      return
    end
    return (inner or vim.lsp.handlers[PUBLISH])(failure, params, ...)
  end
  handlers._json_repair = publish
  handlers[PUBLISH] = publish
end

--- The end of a line in the buffer's document.
---@param bufnr integer
---@return string
function M.line_ending(bufnr)
  return ({ dos = '\r\n', mac = '\r' })[vim.bo[bufnr].fileformat] or '\n'
end

--- The buffer's document, as Neovim would send it to a server.
---@param bufnr integer
---@return string
local function text_of(bufnr)
  local line_ending = M.line_ending(bufnr)
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), line_ending)
  return vim.bo[bufnr].endofline and text .. line_ending or text
end

--- Whether a text can be sent: JSON-RPC is UTF-8, and a buffer may hold any bytes.
---@param text string
---@return boolean
local function is_utf8(text)
  if not text:find('[\128-\255]') then
    return true
  end
  local character = vim.lpeg.utfR(0, 0xD7FF) + vim.lpeg.utfR(0xE000, 0x10FFFF)
  return (character ^ 0 * -1):match(text) ~= nil
end

---@param client vim.lsp.Client
---@param bufnr integer
---@param command string
---@param uri string
---@param callback fun(failure: string?, report: json_repair.Report?)
local function execute(client, bufnr, command, uri, callback)
  local params = { command = command, arguments = { { uri = uri } } }
  local sent = compat.call(client, 'request', 'workspace/executeCommand', params, function(failure, report)
    if failure then
      callback(failure.message)
    elseif vim.api.nvim_buf_is_valid(bufnr) then
      callback(nil, report)
    end
  end, bufnr)
  if not sent then
    callback('json-repair-lsp has stopped; see :checkhealth json_repair')
  end
end

--- What would be repaired.
---@param client vim.lsp.Client
---@param bufnr integer
---@param callback fun(failure: string?, report: json_repair.Report?)
function M.report(client, bufnr, callback)
  if not attach.is_loose(bufnr) then
    execute(client, bufnr, 'jsonRepair.report', vim.uri_from_bufnr(bufnr), callback)
    return
  end
  local text = text_of(bufnr)
  if not is_utf8(text) then
    callback('This buffer holds bytes that are no UTF-8')
    return
  end
  ignore_made_up_documents(client)
  documents = documents + 1
  local filetype = vim.bo[bufnr].filetype
  local uri = ('%sjson-repair-%d'):format(SCHEME, documents)
  compat.call(client, 'notify', 'textDocument/didOpen', {
    textDocument = {
      uri = uri,
      languageId = filetype == '' and 'json' or client.get_language_id(bufnr, filetype),
      version = 0,
      text = text,
    },
  })
  execute(client, bufnr, 'jsonRepair.report', uri, function(failure, report)
    compat.call(client, 'notify', 'textDocument/didClose', { textDocument = { uri = uri } })
    -- The name means nothing to the person.
    callback(failure and failure:gsub(vim.pesc(uri), 'This buffer'), report)
  end)
end

--- Calls back once the buffer has changed since the given tick, or when it did not in time.
---@param bufnr integer
---@param tick integer
---@param callback fun(changed: boolean)
local function when_changed(bufnr, tick, callback)
  local deadline = vim.uv.now() + 2000
  local function look()
    if not vim.api.nvim_buf_is_valid(bufnr) then
      return
    end
    local changed = vim.api.nvim_buf_get_changedtick(bufnr) ~= tick
    if changed or vim.uv.now() > deadline then
      callback(changed)
    else
      vim.defer_fn(look, 10)
    end
  end
  look()
end

--- Applies a report's edits to the buffer that it was made for, in one step of undo. Returns whether
--- the buffer is now what the server said it would be; where not, it is as it was.
---@param bufnr integer
---@param report json_repair.Report
---@return boolean
local function apply_edits(bufnr, report)
  -- Setting this option, to whatever value, ends the step of undo that came before.
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
  local locate = position.locator(bufnr)
  -- From the last to the first, so that each place is where the report says.
  for i = #report.edits, 1, -1 do
    local edit = report.edits[i]
    local first = locate(edit.offset)
    local past = locate(edit.offset + position.utf16_length(edit.removed))
    local inserted = vim.split(edit.inserted, M.line_ending(bufnr), { plain = true })
    vim.api.nvim_buf_set_text(bufnr, first.row, first.byte, past.row, past.byte, inserted)
  end
  if text_of(bufnr) == report.text then
    return true
  end
  vim.api.nvim_buf_call(bufnr, function()
    vim.cmd('silent undo')
  end)
  return false
end

--- Makes the whole repair. `applied` says whether the buffer took it.
---@param client vim.lsp.Client
---@param bufnr integer
---@param callback fun(failure: string?, report: json_repair.Report?, applied: boolean?)
function M.repair(client, bufnr, callback)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  if attach.is_loose(bufnr) then
    M.report(client, bufnr, function(failure, report)
      local applied = false
      if report and report.changed and vim.api.nvim_buf_get_changedtick(bufnr) == tick then
        applied = apply_edits(bufnr, report)
      end
      callback(failure, report, applied)
    end)
    return
  end
  execute(client, bufnr, 'jsonRepair.apply', vim.uri_from_bufnr(bufnr), function(failure, report)
    if failure or not assert(report).changed then
      callback(failure, report, false)
      return
    end
    -- The edit is a request of the server's own: it may come after the answer to the command.
    when_changed(bufnr, tick, function(changed)
      callback(nil, report, changed)
    end)
  end)
end

return M
