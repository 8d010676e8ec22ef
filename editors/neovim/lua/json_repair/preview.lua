-- The tab page of :JsonRepairPreview: the document and its repair, side by side in diff mode.
--
-- It is a tab page, and not a second window beside the person's, because diff mode takes a window's
-- folds away for good where they are made by hand. So the person's window is left as it is.

local ask = require('json_repair.ask')
local attach = require('json_repair.attach')
local position = require('json_repair.position')
local words = require('json_repair.words')

local M = {}

--- Typing is followed at most so often, in milliseconds.
local PAUSE = 60

---@class json_repair.Preview
---@field subject integer The document's buffer.
---@field buffer integer The repair's buffer.
---@field document_window integer
---@field repair_window integer
---@field origin integer The person's window.
---@field closed boolean
---@field waiting boolean A question will be put soon.
---@field asking boolean A question is not answered yet.
---@field stale boolean The document has changed since it was put.
---@field group integer

--- By the document's buffer.
---@type table<integer, json_repair.Preview>
local previews = {}

--- The person's 'scrollopt', which is global, and which diff mode changes.
---@type string?
local scrollopt

--- The document of a buffer that shows a repair.
---@param bufnr integer
---@return integer?
function M.subject(bufnr)
  for subject, preview in pairs(previews) do
    if preview.buffer == bufnr then
      return subject
    end
  end
end

---@param bufnr integer The document's buffer.
---@return boolean
function M.is_open(bufnr)
  local preview = previews[bufnr]
  return preview ~= nil
    and vim.api.nvim_win_is_valid(preview.document_window)
    and vim.api.nvim_win_is_valid(preview.repair_window)
end

--- Names a window in its bar: first what must be read, then what may be cut off.
---@param window integer
---@param title string
---@param keys? string
local function set_title(window, title, keys)
  if vim.api.nvim_win_is_valid(window) then
    -- There a percent sign has a meaning.
    local text = (' %s%%<%s'):format((title:gsub('%%', '%%%%')), keys and '   ' .. keys or '')
    vim.wo[window][0].winbar = text
  end
end

---@param preview json_repair.Preview
---@param report json_repair.Report
---@return string
local function outcome(preview, report)
  local edits = words.edits(report)
  if report.valid_json then
    return edits .. '; the result is valid'
  end
  local failure = assert(report.json_error)
  local at = position.locator(preview.subject)(position.before_edits(report.edits)(failure.offset))
  return ('%s; %s: %s'):format(edits, words.not_valid(report, at), (failure.code:gsub('_', ' ')))
end

--- Shows the text in the repair's buffer. Only what differs is replaced: the cursor, the folds and
--- the place that is scrolled to stay.
---@param preview json_repair.Preview
---@param text string
local function show_text(preview, text)
  local line_ending = ask.line_ending(preview.subject)
  local new = vim.split(text, line_ending, { plain = true })
  if vim.bo[preview.subject].endofline and #new > 1 and new[#new] == '' then
    table.remove(new)
  end
  local old = vim.api.nvim_buf_get_lines(preview.buffer, 0, -1, false)
  local first = 1
  while first <= #old and first <= #new and old[first] == new[first] do
    first = first + 1
  end
  local old_last, new_last = #old, #new
  while old_last >= first and new_last >= first and old[old_last] == new[new_last] do
    old_last, new_last = old_last - 1, new_last - 1
  end
  if old_last < first and new_last < first then
    return
  end
  vim.bo[preview.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(preview.buffer, first - 1, old_last, false, vim.list_slice(new, first, new_last))
  vim.bo[preview.buffer].modifiable = false
  vim.bo[preview.buffer].modified = false
end

---@param preview json_repair.Preview
---@param report json_repair.Report
local function show(preview, report)
  show_text(preview, report.text)
  set_title(preview.repair_window, outcome(preview, report), 'q close')
  vim.api.nvim_win_call(preview.repair_window, function()
    vim.cmd('diffupdate')
  end)
end

---@param preview json_repair.Preview
local function refresh(preview)
  if preview.closed then
    return
  end
  preview.waiting = false
  if preview.asking then
    preview.stale = true
    return
  end
  local client = attach.any_client(preview.subject)
  if not client then
    set_title(preview.repair_window, attach.not_running)
    return
  end
  preview.asking, preview.stale = true, false
  ask.report(client, preview.subject, function(failure, report)
    preview.asking = false
    if preview.closed or not vim.api.nvim_win_is_valid(preview.repair_window) then
      return
    elseif failure then
      set_title(preview.repair_window, failure)
    else
      show(preview, assert(report))
    end
    if preview.stale then
      refresh(preview)
    end
  end)
end

---@param preview json_repair.Preview
local function refresh_soon(preview)
  if not preview.waiting then
    preview.waiting = true
    vim.defer_fn(function()
      refresh(preview)
    end, PAUSE)
  end
end

--- Closes a preview, and goes back to where it was asked for.
---@param preview json_repair.Preview
local function close(preview)
  if preview.closed then
    return
  end
  local bufnr = preview.subject
  previews[bufnr] = nil
  preview.closed = true
  vim.api.nvim_del_augroup_by_id(preview.group)
  local windows = { preview.repair_window, preview.document_window }
  local was_there = vim.list_contains(windows, vim.api.nvim_get_current_win())

  local document_window = preview.document_window
  if vim.api.nvim_win_is_valid(document_window) then
    vim.api.nvim_win_call(document_window, function()
      vim.cmd('diffoff')
    end)
    -- It may show something else by now; then it is the person's own.
    if vim.api.nvim_win_get_buf(document_window) == bufnr and #vim.api.nvim_list_wins() > 1 then
      pcall(vim.api.nvim_win_close, document_window, true)
    else
      vim.wo[document_window].winbar = vim.go.winbar
    end
  end
  if vim.api.nvim_buf_is_valid(preview.buffer) then
    pcall(vim.api.nvim_buf_delete, preview.buffer, { force = true })
  end
  if not next(previews) then
    vim.o.scrollopt = scrollopt
  end
  if was_there and vim.api.nvim_win_is_valid(preview.origin) then
    vim.api.nvim_set_current_win(preview.origin)
  end
end

--- Closes the preview of a document, if there is one.
---@param bufnr integer The document's buffer.
function M.close(bufnr)
  local preview = previews[bufnr]
  if preview then
    close(preview)
  end
end

--- Follows every change of the document, whoever makes it.
---@param preview json_repair.Preview
local function follow(preview)
  vim.api.nvim_buf_attach(preview.subject, false, {
    on_lines = function()
      if preview.closed then
        return true
      end
      refresh_soon(preview)
    end,
    on_reload = function()
      refresh_soon(preview)
    end,
    on_detach = function()
      -- It is read anew, or it is gone.
      vim.schedule(function()
        if preview.closed then
          return
        elseif vim.api.nvim_buf_is_loaded(preview.subject) then
          follow(preview)
          refresh_soon(preview)
        else
          close(preview)
        end
      end)
    end,
  })
end

---@param preview json_repair.Preview
local function close_with_any_part(preview)
  local function close_later()
    vim.schedule(function()
      close(preview)
    end)
  end
  vim.api.nvim_create_autocmd('WinClosed', {
    group = preview.group,
    pattern = { tostring(preview.document_window), tostring(preview.repair_window) },
    desc = 'json-repair: one half of a preview is none',
    callback = close_later,
  })
  vim.api.nvim_create_autocmd('BufWinEnter', {
    group = preview.group,
    desc = 'json-repair: the document gave way to another buffer',
    callback = function()
      local shown = vim.api.nvim_win_is_valid(preview.document_window)
        and vim.api.nvim_win_get_buf(preview.document_window)
      if shown ~= preview.subject then
        close_later()
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = preview.group,
    buffer = preview.buffer,
    desc = 'json-repair: the repair is gone',
    callback = close_later,
  })
end

--- Opens the preview of a report on a document.
---@param bufnr integer
---@param report json_repair.Report
function M.open(bufnr, report)
  -- One that lost a window is about to be closed.
  M.close(bufnr)
  if not next(previews) then
    scrollopt = vim.o.scrollopt
  end
  local origin = vim.api.nvim_get_current_win()
  local preview = {
    subject = bufnr,
    origin = origin,
    closed = false,
    waiting = false,
    asking = false,
    stale = false,
    group = vim.api.nvim_create_augroup('json_repair_preview_' .. bufnr, {}),
  }
  local name = vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))

  vim.cmd(vim.api.nvim_win_get_buf(origin) == bufnr and 'tab split' or ('tab sbuffer %d'):format(bufnr))
  preview.document_window = vim.api.nvim_get_current_win()

  preview.buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[preview.buffer].bufhidden = 'wipe'
  vim.bo[preview.buffer].swapfile = false
  vim.bo[preview.buffer].undolevels = -1
  vim.bo[preview.buffer].fileformat = vim.bo[bufnr].fileformat
  vim.api.nvim_buf_set_name(preview.buffer, ('json-repair://preview/%d/%s'):format(bufnr, name))
  show_text(preview, report.text)
  vim.bo[preview.buffer].modifiable = false
  -- The colours of the document, but not what else comes with its filetype, such as a server.
  vim.bo[preview.buffer].syntax = vim.bo[bufnr].syntax
  for _, option in ipairs({ 'tabstop', 'shiftwidth', 'expandtab' }) do
    vim.bo[preview.buffer][option] = vim.bo[bufnr][option]
  end

  vim.cmd('rightbelow vsplit')
  preview.repair_window = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(preview.repair_window, preview.buffer)
  previews[bufnr] = preview

  set_title(preview.document_window, name == '' and 'the document' or name, ':JsonRepairPreview close')
  for _, window in ipairs({ preview.repair_window, preview.document_window }) do
    vim.api.nvim_set_current_win(window)
    vim.cmd('diffthis')
  end
  show(preview, report)

  vim.keymap.set('n', 'q', function()
    M.close(bufnr)
  end, { buffer = preview.buffer, desc = 'Close the preview' })
  close_with_any_part(preview)
  follow(preview)
end

return M
