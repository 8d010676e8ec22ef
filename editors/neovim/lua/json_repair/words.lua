-- A report in a few words, for the report's window, the preview's bar and messages.

local M = {}

---@param number integer
---@param noun string
---@return string
local function counted(number, noun)
  return ('%d %s%s'):format(number, noun, number == 1 and '' or 's')
end

--- "3 edits", and of JSON Lines in how many of them: "3 edits in 2 lines".
---@param report json_repair.Report
---@return string
function M.edits(report)
  if #report.edits == 0 then
    return 'nothing to repair'
  end
  local edits = counted(#report.edits, 'edit')
  if not report.lines then
    return edits
  end
  local edited = vim.iter(report.lines):filter(function(line)
    return line.edits > 0
  end)
  return ('%s in %s'):format(edits, counted(#edited:totable(), 'line'))
end

--- "not valid at 3:14", and of JSON Lines in how many lines besides.
---@param report json_repair.Report
---@param at json_repair.Position
---@return string
function M.not_valid(report, at)
  local place = ('not valid at %d:%d'):format(at.line, at.column)
  local broken = vim.iter(report.lines or {}):filter(function(line)
    return not line.valid_json
  end)
  local others = #broken:totable() - 1
  return others > 0 and ('%s and in %s more'):format(place, counted(others, 'line')) or place
end

--- A line of JSON Lines: "Line 3: 2 edits; not valid".
---@param line json_repair.Line
---@return string
function M.of_line(line)
  local edits = line.edits == 0 and 'nothing to repair' or counted(line.edits, 'edit')
  return ('Line %d: %s%s'):format(line.line + 1, edits, line.valid_json and '' or '; not valid')
end

return M
