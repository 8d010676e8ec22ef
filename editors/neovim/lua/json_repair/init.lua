local ask = require('json_repair.ask')
local attach = require('json_repair.attach')
local compat = require('json_repair.compat')
local position = require('json_repair.position')
local preview = require('json_repair.preview')
local window = require('json_repair.report')
local words = require('json_repair.words')

local M = {}

---@class json_repair.Edit
---@field rule 'remove_comments'|'close_truncated'|'remove_trailing_commas'
---@field offset integer In UTF-16 code units, into the document.
---@field removed string
---@field inserted string

---@class json_repair.JsonError
---@field code string
---@field offset integer In UTF-16 code units, into the repaired text.

--- A line of JSON Lines in which there is anything.
---@class json_repair.Line
---@field line integer From 0.
---@field edits integer How many of the document's edits are its own.
---@field valid_json boolean
---@field json_error json_repair.JsonError?

--- What the server answers to `jsonRepair.report` and `jsonRepair.apply`.
---@class json_repair.Report
---@field changed boolean
---@field valid_json boolean
---@field json_error json_repair.JsonError? In JSON Lines the first line's that has one.
---@field edits json_repair.Edit[]
---@field lines json_repair.Line[]? Only of JSON Lines, where each line is repaired by itself.
---@field version integer
---@field text string What the document would be. Only in the answer to `jsonRepair.report`.

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

local kinds = { on_save = 'boolean', cmd = 'table', settings = 'table', enable = 'boolean' }

--- Configures the server and enables it. Optional where there are vim.lsp.config() and
--- vim.lsp.enable(), which do the same.
---@param options? json_repair.Options
function M.setup(options)
  options = options or {}
  for key, value in pairs(options) do
    if not kinds[key] then
      say(("json_repair: setup() knows no option '%s'"):format(key), vim.log.levels.WARN)
    elseif type(value) ~= kinds[key] then
      error(('json_repair: the option %s is a %s, and no %s'):format(key, kinds[key], type(value)), 2)
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
  attach.configure(config)
  if options.enable ~= false then
    if compat.has_lsp_config() then
      vim.lsp.enable(attach.name)
    else
      attach.enable_by_start()
    end
    attach.check_open_buffers()
  end
end

--- The server for a buffer. Where there is none it says why.
---@param bufnr integer
---@return vim.lsp.Client?
local function client_of(bufnr)
  local client = attach.any_client(bufnr)
  if client then
    return client
  end
  local reason = attach.why_not_attached(bufnr)
  if reason == attach.not_running then
    if attach.is_loose(bufnr) then
      attach.start_unattached()
    end
    -- It may only just have been started.
    vim.wait(2000, function()
      client = attach.any_client(bufnr)
      return client ~= nil
    end, 20)
  end
  if not client then
    say(reason, vim.log.levels.WARN)
  end
  return client
end

--- "Deleted 5 comments and 1 trailing comma, closed with ]}"; of JSON Lines: "closed 2 lines"
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
    local shown = #closers > 20 and closers:sub(1, 20) .. '…' or closers
    local lines = count.close_truncated
    table.insert(parts, lines > 1 and ('closed %d lines'):format(lines) or 'closed with ' .. shown)
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
  local message = ('%s; %s'):format(done, words.not_valid(report, at))
  local with_reason = ('%s: %s'):format(message, failure.code:gsub('_', ' '))
  -- A longer message would have to be dismissed with a key. The diagnostic says the rest.
  local fits = vim.fn.strdisplaywidth(with_reason) <= vim.o.columns - 12
  say(fits and with_reason or message, vim.log.levels.WARN)
end

--- The document that a command means: in a report or a preview the one that it is about.
---@param bufnr? integer
---@return integer
local function subject_of(bufnr)
  local subject = window.subject(bufnr)
  return preview.subject(subject) or subject
end

--- Applies the whole repair to the buffer, doubtful edits too, and says what it did.
---@param bufnr? integer The current buffer by default; in a report, the buffer it is about.
function M.repair(bufnr)
  local subject = subject_of(bufnr)
  if not vim.bo[subject].modifiable then
    say('This buffer is not modifiable', vim.log.levels.WARN)
    return
  end
  local client = client_of(subject)
  if not client then
    return
  end
  ask.repair(client, subject, function(failure, report, applied)
    if failure then
      say(failure, vim.log.levels.ERROR)
    elseif not report.changed then
      say_outcome(subject, 'Nothing to repair', report)
    elseif applied then
      window.close(subject)
      preview.close(subject)
      say_outcome(subject, summary(report.edits), report)
    else
      say('Nothing was changed: the buffer did not take the edits', vim.log.levels.ERROR)
    end
  end)
end

--- Has a report on the buffer shown, if there is anything to show.
---@param subject integer
---@param is_worth_it fun(report: json_repair.Report): boolean
---@param open fun(subject: integer, report: json_repair.Report)
local function show(subject, is_worth_it, open)
  local client = client_of(subject)
  if not client then
    return
  end
  ask.report(client, subject, function(failure, report)
    if failure then
      say(failure, vim.log.levels.ERROR)
    elseif is_worth_it(report) then
      open(subject, report)
    else
      say_outcome(subject, 'Nothing to repair', report)
    end
  end)
end

--- Shows what M.repair() would change, and what would stay wrong.
---@param bufnr? integer The current buffer by default; in a report, the buffer it is about.
function M.report(bufnr)
  show(subject_of(bufnr), function(report)
    return report.changed or not report.valid_json
  end, window.open)
end

--- Shows the document beside its repair, in diff mode, or closes that.
---@param bufnr? integer The current buffer by default; in a preview, the document it is about.
function M.preview(bufnr)
  local subject = subject_of(bufnr)
  if preview.is_open(subject) then
    preview.close(subject)
    return
  end
  show(subject, function(report)
    return report.changed
  end, preview.open)
end

--- A few words for a status line: "valid", "3 edits", "2 edits, 3:14 unexpected character".
--- Empty where the server has not looked at the buffer.
---@param bufnr? integer
---@return string
function M.statusline(bufnr)
  if not bufnr or bufnr == 0 then
    bufnr = vim.api.nvim_get_current_buf()
  end
  return require('json_repair.statusline').get(bufnr)
end

return M
