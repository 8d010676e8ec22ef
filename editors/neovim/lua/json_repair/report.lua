-- The window of :JsonRepairReport.

local position = require('json_repair.position')
local words = require('json_repair.words')

local M = {}

local BUFFER_NAME = 'json-repair://report'
local MAX_HEIGHT = 20

local namespace = vim.api.nvim_create_namespace('json_repair_report')

--- What each report is about.
---@type table<integer, integer>
local subject_of_report = {}

--- A report as text, not yet in any buffer.
---@class json_repair.Page
---@field lines string[]
---@field targets table<integer, json_repair.Position> By row, from 1: the place it speaks of.

--- The buffer that a command means: in a report the one that it is about.
---@param bufnr? integer
---@return integer
function M.subject(bufnr)
  if not bufnr or bufnr == 0 then
    bufnr = vim.api.nvim_get_current_buf()
  end
  return subject_of_report[bufnr] or bufnr
end

--- The words of the server's own diagnostics for what stays wrong, as far as it shows any: by their
--- code, and by their line (from 0) and their code.
---@param bufnr integer
---@return table<string, string>
local function messages_of(bufnr)
  local messages = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(bufnr)) do
    if diagnostic.source == 'json-repair' and diagnostic.code then
      local message = diagnostic.message:gsub('%s*\n%s*', ' ')
      for _, key in ipairs({ diagnostic.code, diagnostic.lnum .. diagnostic.code }) do
        messages[key] = messages[key] or message
      end
    end
  end
  return messages
end

--- One side of an edit, its lines marked as in a diff.
---@param sign string
---@param text string
---@return string[]
local function marked(sign, text)
  if text == '' then
    return {}
  end
  return vim.tbl_map(function(line)
    return sign .. ' ' .. line
  end, vim.split(text, '\r?\n'))
end

---@param bufnr integer
---@param report json_repair.Report
---@return json_repair.Page
local function layout(bufnr, report)
  local name = vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))
  name = name == '' and 'A buffer without a name' or name
  local count = #report.edits
  local what = count == 0 and 'the document' or 'the result'
  local outcome = report.valid_json and 'is valid' or 'is not valid'

  local lines = {
    ('%s: %s; %s %s'):format(name, words.edits(report), what, outcome),
    '<CR> go there   q close   :JsonRepair repair',
    '',
  }
  local targets = {} ---@type table<integer, json_repair.Position>
  local locate = position.locator(bufnr)

  --- Adds "   3:17  remove_trailing_commas  - ,".
  local function add_place(at, code, rest)
    local place = ('%7s'):format(('%d:%d'):format(at.line, at.column))
    local line = rest == '' and ('%s  %s'):format(place, code) or ('%s  %-22s  %s'):format(place, code, rest)
    table.insert(lines, line)
    targets[#lines] = at
  end

  local function add_edit(edit)
    local sides = vim.list_extend(marked('-', edit.removed), marked('+', edit.inserted))
    local at = locate(edit.offset)
    if #sides == 1 then
      add_place(at, edit.rule, sides[1])
    else
      add_place(at, edit.rule, '')
      for _, line in ipairs(sides) do
        table.insert(lines, (' '):rep(9) .. line)
      end
    end
  end

  local messages = messages_of(bufnr)
  local before_edits = position.before_edits(report.edits)

  --- Adds what stays wrong: in the document, or in a line (from 0) of JSON Lines.
  local function add_error(failure, row)
    add_place(locate(before_edits(failure.offset)), failure.code, messages[(row or '') .. failure.code] or '')
  end

  if report.lines then
    local done = 0
    for i, line in ipairs(report.lines) do
      vim.list_extend(lines, i > 1 and { '', words.of_line(line) } or { words.of_line(line) })
      for j = done + 1, done + line.edits do
        add_edit(report.edits[j])
      end
      done = done + line.edits
      if line.json_error then
        add_error(line.json_error, line.line)
      end
    end
    return { lines = lines, targets = targets }
  end

  vim.iter(report.edits):each(add_edit)
  local failure = report.json_error
  if failure then
    if count > 0 then
      vim.list_extend(lines, { '', 'Still wrong after these edits' })
    else
      table.insert(lines, 'Wrong')
    end
    add_error(failure)
  end
  return { lines = lines, targets = targets }
end

--- Goes to the place that the cursor's line in the report speaks of.
---@param bufnr integer The buffer that the report is about.
---@param marks table<integer, integer>
local function jump(bufnr, marks)
  local mark
  for row = vim.api.nvim_win_get_cursor(0)[1], 1, -1 do
    mark = marks[row]
    if mark then
      break
    end
  end
  if not mark or not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  local at = vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})
  local window = vim.fn.win_findbuf(bufnr)[1]
  if window then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd(('aboveleft sbuffer %d'):format(bufnr))
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { at[1] + 1, at[2] })
  vim.cmd('normal! zv')
end

--- Closes the report about a buffer: it tells of a repair that has been made.
---@param bufnr integer
function M.close(bufnr)
  for report, subject in pairs(subject_of_report) do
    if subject == bufnr then
      vim.api.nvim_buf_delete(report, { force = true })
    end
  end
end

--- The report's buffer in the current window: that of an earlier report, or a new one in a split.
---@return integer
local function enter_report_buffer()
  -- There is at most one, and it is gone when no window shows it.
  local report = next(subject_of_report)
  if report then
    vim.api.nvim_set_current_win(vim.fn.win_findbuf(report)[1])
    return report
  end
  vim.cmd('botright new')
  local bufnr = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(bufnr, BUFFER_NAME)
  return bufnr
end

---@param bufnr integer
---@param report json_repair.Report
function M.open(bufnr, report)
  local page = layout(bufnr, report)

  -- The places are kept as marks, so that they still lead there after the text was edited.
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local marks = {} ---@type table<integer, integer>
  for row, at in pairs(page.targets) do
    marks[row] = vim.api.nvim_buf_set_extmark(bufnr, namespace, at.row, at.byte, { strict = false })
  end

  local buffer = enter_report_buffer()
  subject_of_report[buffer] = bufnr
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].buflisted = false
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, page.lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = 'jsonrepairreport'

  vim.wo[0][0].wrap = false
  vim.wo[0][0].number = false
  vim.wo[0][0].relativenumber = false
  vim.wo[0][0].signcolumn = 'no'
  vim.wo[0][0].cursorline = true
  vim.wo[0][0].winfixheight = true
  local winbar = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1].winbar
  vim.api.nvim_win_set_height(0, math.min(#page.lines, MAX_HEIGHT) + winbar)
  vim.api.nvim_win_set_cursor(0, { math.min(4, #page.lines), 0 })

  vim.keymap.set('n', 'q', function()
    vim.api.nvim_buf_delete(buffer, { force = true })
  end, { buffer = buffer, desc = 'Close the report' })
  vim.keymap.set('n', '<CR>', function()
    jump(bufnr, marks)
  end, { buffer = buffer, desc = 'Go to the place' })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    callback = function()
      subject_of_report[buffer] = nil
      if vim.api.nvim_buf_is_valid(bufnr) then
        vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
      end
    end,
  })
end

return M
