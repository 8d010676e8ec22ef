-- The words for a status line. They come from the diagnostics that are there anyway: nothing is asked
-- for, and nothing is counted twice for the same diagnostics.

local attach = require('json_repair.attach')
local compat = require('json_repair.compat')

local M = {}

--- The words for each buffer that the server has reported on; false where they are not made yet.
---@type table<integer, string|false>
local words_of_buffer = {}

--- The buffers that somebody wants to see them of.
---@type table<integer, true>
local is_shown = {}

local rules = { remove_comments = true, remove_trailing_commas = true, close_truncated = true }

---@param bufnr integer
---@return boolean
local function is_blank(bufnr)
  for row = 0, vim.api.nvim_buf_line_count(bufnr) - 1 do
    if vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]:find('%S') then
      return false
    end
  end
  return true
end

--- "3:14 missing value"
---@param bufnr integer
---@param diagnostic vim.Diagnostic
---@return string
local function stopper(bufnr, diagnostic)
  local line = vim.api.nvim_buf_get_lines(bufnr, diagnostic.lnum, diagnostic.lnum + 1, false)[1] or ''
  local column = compat.characters(line, diagnostic.col) + 1
  -- The page on the defect, where the server knows one, is its name.
  local href = vim.tbl_get(diagnostic, 'user_data', 'lsp', 'codeDescription', 'href')
  local name = href and href:match('#([%w-]+)$') or tostring(diagnostic.code)
  return ('%d:%d %s'):format(diagnostic.lnum + 1, column, (name:gsub('[_-]', ' ')))
end

---@param bufnr integer
---@return string
local function words(bufnr)
  if not attach.shows_diagnostics(bufnr) or is_blank(bufnr) then
    return ''
  end
  local edits, doubtful = 0, false
  local stopped_by
  for _, diagnostic in ipairs(vim.diagnostic.get(bufnr)) do
    if diagnostic.source == 'json-repair' then
      if rules[diagnostic.code] then
        edits = edits + 1
        doubtful = doubtful or diagnostic.message:find('(doubtful: ', 1, true) ~= nil
      elseif diagnostic.code then
        -- In JSON Lines there may be several: the first is named.
        stopped_by = stopped_by or stopper(bufnr, diagnostic)
      else
        edits = edits + (tonumber(diagnostic.message:match('^%d+')) or 0)
      end
    end
  end
  local parts = {}
  if edits > 0 then
    table.insert(parts, ('%d edit%s'):format(edits, edits == 1 and '' or 's'))
  end
  if stopped_by then
    table.insert(parts, stopped_by)
  elseif doubtful then
    table.insert(parts, 'doubtful')
  end
  return #parts == 0 and 'valid' or table.concat(parts, ', ')
end

---@param bufnr integer
---@return string
function M.get(bufnr)
  is_shown[bufnr] = true
  local known = words_of_buffer[bufnr]
  if known == false then
    known = words(bufnr)
    words_of_buffer[bufnr] = known
  end
  return known or ''
end

local function redraw(bufnr)
  if is_shown[bufnr] then
    vim.cmd('redrawstatus!')
  end
end

--- The buffer's diagnostics are other ones.
---@param bufnr integer
function M.changed(bufnr)
  if attach.client(bufnr) then
    words_of_buffer[bufnr] = false
    redraw(bufnr)
  end
end

--- The server does not look at the buffer any more.
---@param bufnr integer
function M.forget(bufnr)
  if words_of_buffer[bufnr] ~= nil then
    words_of_buffer[bufnr] = nil
    redraw(bufnr)
  end
end

return M
