local attach = require('json_repair.attach')
local position = require('json_repair.position')
local window = require('json_repair.report')

local M = {}

---@class json_repair.Edit
---@field rule 'remove_comments'|'close_truncated'|'remove_trailing_commas'
---@field offset integer In UTF-16 code units, into the document.
---@field removed string
---@field inserted string

---@class json_repair.JsonError
---@field code string
---@field offset integer In UTF-16 code units, into the repaired text.

--- What the server answers to `jsonRepair.report` and `jsonRepair.apply`.
---@class json_repair.Report
---@field changed boolean
---@field valid_json boolean
---@field json_error json_repair.JsonError?
---@field edits json_repair.Edit[]
---@field version integer

---@class json_repair.Options
---@field on_save? boolean Repair a buffer when it is written. Off by default.
---@field cmd? string[] The server's command line.
---@field settings? table The server's settings: what is below `jsonRepair` in other editors.
---@field enable? boolean Whether to call vim.lsp.enable(). On by default.

---@param message string
---@param level? integer
local function say(message, level)
  vim.notify(message, level or vim.log.levels.INFO, { title = 'json-repair' })
end

--- Configures the server and enables it. Optional: vim.lsp.config() and vim.lsp.enable() do the same.
---@param options? json_repair.Options
function M.setup(options)
  options = options or {}
  vim.validate('options', options, 'table')
  vim.validate('options.on_save', options.on_save, 'boolean', true)
  vim.validate('options.cmd', options.cmd, 'table', true)
  vim.validate('options.settings', options.settings, 'table', true)
  vim.validate('options.enable', options.enable, 'boolean', true)
  for key in pairs(options) do
    if not vim.list_contains({ 'on_save', 'cmd', 'settings', 'enable' }, key) then
      say(("json_repair: setup() knows no option '%s'"):format(key), vim.log.levels.WARN)
    end
  end

  local settings = vim.deepcopy(options.settings or {})
  if options.on_save ~= nil then
    settings.onSave = options.on_save
  end
  local config = { cmd = options.cmd }
  if next(settings) then
    config.settings = { jsonRepair = settings }
  end
  vim.lsp.config(attach.name, config)
  if options.enable ~= false then
    vim.lsp.enable(attach.name)
    attach.check_open_buffers()
  end
end

--- The server of a buffer. Where there is none it says why.
---@param bufnr integer
---@return vim.lsp.Client?
local function client_of(bufnr)
  local client = attach.client(bufnr)
  if client then
    return client
  end
  local reason = attach.why_not_attached(bufnr)
  if reason == attach.not_running then
    -- It may only just have been started.
    vim.wait(2000, function()
      client = attach.client(bufnr)
      return client ~= nil
    end, 20)
  end
  if not client then
    say(reason, vim.log.levels.WARN)
  end
  return client
end

--- Runs a server command on the buffer's document.
---@param bufnr integer
---@param command string
---@param callback fun(report: json_repair.Report)
local function execute(bufnr, command, callback)
  local client = client_of(bufnr)
  if not client then
    return
  end
  local params = { command = command, arguments = { { uri = vim.uri_from_bufnr(bufnr) } } }
  local sent = client:request('workspace/executeCommand', params, function(failure, report)
    if failure then
      say(failure.message, vim.log.levels.ERROR)
    elseif vim.api.nvim_buf_is_valid(bufnr) then
      callback(report)
    end
  end, bufnr)
  if not sent then
    say('json-repair-lsp has stopped; see :checkhealth json_repair', vim.log.levels.ERROR)
  end
end

--- "Deleted 5 comments and 1 trailing comma, closed with ]}"
---@param edits json_repair.Edit[]
---@return string
local function summary(edits)
  local count = { remove_comments = 0, remove_trailing_commas = 0, close_truncated = 0 }
  local closers
  for _, edit in ipairs(edits) do
    count[edit.rule] = count[edit.rule] + 1
    closers = edit.rule == 'close_truncated' and edit.inserted or closers
  end

  local deleted = {}
  for rule, name in vim.spairs({ remove_comments = 'comment', remove_trailing_commas = 'trailing comma' }) do
    if count[rule] > 0 then
      table.insert(deleted, ('%d %s%s'):format(count[rule], name, count[rule] == 1 and '' or 's'))
    end
  end

  local parts = {}
  if #deleted > 0 then
    table.insert(parts, 'deleted ' .. table.concat(deleted, ' and '))
  end
  if closers then
    table.insert(parts, 'closed with ' .. (#closers > 20 and closers:sub(1, 20) .. '…' or closers))
  end
  local text = table.concat(parts, ', ')
  return text:sub(1, 1):upper() .. text:sub(2)
end

--- Says what was done, and whether the buffer is valid now; if not, where.
---@param bufnr integer
---@param done string
---@param report json_repair.Report
local function say_outcome(bufnr, done, report)
  if report.valid_json then
    say(done .. '; the document is valid')
    return
  end
  local failure = assert(report.json_error)
  local at = position.locator(bufnr)(failure.offset)
  local message = ('%s; not valid at %d:%d'):format(done, at.line, at.column)
  local with_reason = ('%s: %s'):format(message, failure.code:gsub('_', ' '))
  -- A longer message would have to be dismissed with a key. The diagnostic says the rest.
  local fits = vim.fn.strdisplaywidth(with_reason) <= vim.o.columns - 12
  say(fits and with_reason or message, vim.log.levels.WARN)
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

--- Applies the whole repair to the buffer, doubtful edits too, and says what it did.
---@param bufnr? integer The current buffer by default; in a report, the buffer it is about.
function M.repair(bufnr)
  local subject = window.subject(bufnr)
  if not vim.bo[subject].modifiable then
    say('This buffer is not modifiable', vim.log.levels.WARN)
    return
  end
  local tick = vim.api.nvim_buf_get_changedtick(subject)
  execute(subject, 'jsonRepair.apply', function(report)
    if not report.changed then
      say_outcome(subject, 'Nothing to repair', report)
      return
    end
    -- The edit is a request of the server's own: it may come after the answer to the command.
    when_changed(subject, tick, function(changed)
      if changed then
        window.close(subject)
        say_outcome(subject, summary(report.edits), report)
      else
        say('Nothing was changed: the buffer did not take the edits', vim.log.levels.ERROR)
      end
    end)
  end)
end

--- Shows what M.repair() would change, and what would stay wrong.
---@param bufnr? integer The current buffer by default; in a report, the buffer it is about.
function M.report(bufnr)
  local subject = window.subject(bufnr)
  execute(subject, 'jsonRepair.report', function(report)
    if report.changed or not report.valid_json then
      window.open(subject, report)
    else
      say_outcome(subject, 'Nothing to repair', report)
    end
  end)
end

return M
