-- The server's offsets count UTF-16 code units from the start of the document; Neovim counts lines
-- and bytes. This is the only place that knows both.

local compat = require('json_repair.compat')

local M = {}

---@class json_repair.Position
---@field row integer Line, from 0.
---@field byte integer Byte in the line, from 0.
---@field line integer Line, from 1, as a person counts.
---@field column integer Character in the line, from 1, as a person counts.

M.utf16_length = compat.utf16_length

--- How far the marks of a locator are apart, in bytes: a document may be one very long line.
local STRIDE = 1024

--- The end of the piece of a line that starts after `byte`: never inside a character.
---@param line string
---@param byte integer
---@return integer
local function end_of_piece(line, byte)
  local stop = math.min(byte + STRIDE, #line)
  local next_byte = line:byte(stop + 1)
  while next_byte and next_byte >= 0x80 and next_byte < 0xC0 do
    stop = stop + 1
    next_byte = line:byte(stop + 1)
  end
  return stop
end

--- A function from offsets in the buffer's document to positions in the buffer, as it is now.
---@param bufnr integer
---@return fun(offset: integer): json_repair.Position
function M.locator(bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local line_ending = vim.bo[bufnr].fileformat == 'dos' and 2 or 1
  ---@type { offset: integer, row: integer, byte: integer, column: integer }[]
  local marks = {}
  local offset = 0
  for row, line in ipairs(lines) do
    local byte, column = 0, 0
    repeat
      table.insert(marks, { offset = offset, row = row - 1, byte = byte, column = column })
      local stop = end_of_piece(line, byte)
      local piece = line:sub(byte + 1, stop)
      offset = offset + M.utf16_length(piece)
      column = column + compat.characters(piece)
      byte = stop
    until byte == #line
    offset = offset + line_ending
  end

  return function(wanted)
    local low, high = 1, #marks
    while low < high do
      local middle = math.ceil((low + high) / 2)
      if marks[middle].offset <= wanted then
        low = middle
      else
        high = middle - 1
      end
    end
    local mark = marks[low]
    local line = lines[mark.row + 1]
    local piece = line:sub(mark.byte + 1, end_of_piece(line, mark.byte))
    local byte = compat.bytes_of_utf16(piece, wanted - mark.offset)
    return {
      row = mark.row,
      byte = mark.byte + byte,
      line = mark.row + 1,
      column = mark.column + compat.characters(piece, byte) + 1,
    }
  end
end

--- A function that says where an offset in the repaired text comes from in the document. What lies in
--- inserted text comes from where it was inserted. It is to be called with one offset after the other,
--- in the order of the text.
---@param edits json_repair.Edit[]
---@return fun(offset: integer): integer
function M.before_edits(edits)
  local grown, passed = 0, 0
  return function(offset)
    for i = passed + 1, #edits do
      local edit = edits[i]
      local start = edit.offset + grown
      local inserted = M.utf16_length(edit.inserted)
      if offset < start then
        break
      elseif offset < start + inserted then
        return edit.offset
      end
      grown = grown + inserted - M.utf16_length(edit.removed)
      passed = i
    end
    return offset - grown
  end
end

return M
