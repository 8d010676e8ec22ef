-- The server's offsets count UTF-16 code units from the start of the document; Neovim counts lines
-- and bytes. This is the only place that knows both.

local M = {}

---@class json_repair.Position
---@field row integer Line, from 0.
---@field byte integer Byte in the line, from 0.
---@field line integer Line, from 1, as a person counts.
---@field column integer Character in the line, from 1, as a person counts.

---@param text string
---@return integer
function M.utf16_length(text)
  return vim.str_utfindex(text, 'utf-16')
end

--- A function from offsets in the buffer's document to positions in the buffer, as it is now.
---@param bufnr integer
---@return fun(offset: integer): json_repair.Position
function M.locator(bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local line_ending = vim.bo[bufnr].fileformat == 'dos' and 2 or 1
  local starts = {} ---@type integer[]
  local start = 0
  for row, line in ipairs(lines) do
    starts[row] = start
    start = start + M.utf16_length(line) + line_ending
  end

  return function(offset)
    local low, high = 1, #lines
    while low < high do
      local middle = math.ceil((low + high) / 2)
      if starts[middle] <= offset then
        low = middle
      else
        high = middle - 1
      end
    end
    local byte = vim.str_byteindex(lines[low], 'utf-16', offset - starts[low], false)
    return {
      row = low - 1,
      byte = byte,
      line = low,
      column = vim.str_utfindex(lines[low], 'utf-32', byte, false) + 1,
    }
  end
end

--- Where an offset in the repaired text comes from in the document. What lies in inserted text
--- comes from where it was inserted.
---@param edits json_repair.Edit[]
---@param offset integer
---@return integer
function M.before_edits(edits, offset)
  local grown = 0
  for _, edit in ipairs(edits) do
    local start = edit.offset + grown
    if offset < start then
      break
    end
    local inserted = M.utf16_length(edit.inserted)
    if offset < start + inserted then
      return edit.offset
    end
    grown = grown + inserted - M.utf16_length(edit.removed)
  end
  return offset - grown
end

return M
