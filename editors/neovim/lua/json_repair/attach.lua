-- Which buffers the server is attached to, and what it was told about them.
--
-- Neovim tells a server a document's language and name once, when it attaches. Both decide what the
-- server may delete, and both change: a modeline sets another filetype, `:file` and `:saveas` give
-- another name. Then the document is closed and opened again.

local M = {}

M.name = 'json_repair'
M.install_hint = 'json-repair-lsp is not on the PATH (:help json_repair-install)'
M.not_running = 'json-repair-lsp is not running; see :checkhealth json_repair'

--- The language id that the server knows each attached buffer by.
---@type table<integer, string>
local language_of_buffer = {}

--- The attached buffers whose name is about to change, with their client.
---@type table<integer, integer>
local renaming = {}

--- The buffers that got another name since they were attached.
---@type table<integer, true>
local renamed = {}

---@param bufnr integer
---@return vim.lsp.Client?
function M.client(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr, name = M.name })[1]
end

---@return boolean
function M.is_enabled()
  -- vim.lsp.is_enabled() is missing from the first releases of Neovim 0.11.
  if vim.lsp.is_enabled then
    return vim.lsp.is_enabled(M.name)
  end
  return vim.lsp._enabled_configs[M.name] ~= nil
end

--- The configured command's program, unless the command is a function.
---@return string?
function M.program()
  local config = vim.lsp.config[M.name]
  local cmd = config and config.cmd
  return type(cmd) == 'table' and cmd[1] or nil
end

---@return boolean
function M.is_missing()
  local program = M.program()
  return program ~= nil and vim.fn.executable(program) == 0
end

--- Says once that the server is missing. Neovim itself only writes it to its log.
local function hint_if_missing()
  if M.is_enabled() and M.is_missing() then
    -- Scheduled, so that it does not meet the message about the file: two would ask for a key.
    vim.schedule(function()
      vim.notify_once(M.install_hint, vim.log.levels.WARN, { title = 'json-repair' })
    end)
  end
end

--- Hints at a missing server if a buffer is open that it would have been started for.
function M.check_open_buffers()
  local filetypes = vim.lsp.config[M.name].filetypes or {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.list_contains(filetypes, vim.bo[bufnr].filetype) then
      hint_if_missing()
      return
    end
  end
end

--- Why no server is attached to the buffer, and what to do about it.
---@param bufnr integer
---@return string
function M.why_not_attached(bufnr)
  local filetypes = vim.lsp.config[M.name].filetypes or {}
  local filetype = vim.bo[bufnr].filetype
  if M.is_missing() then
    return M.install_hint
  elseif not M.is_enabled() then
    return "json-repair-lsp is not enabled; call vim.lsp.enable('json_repair')"
  elseif not vim.list_contains(filetypes, filetype) then
    return ("This buffer's filetype is '%s'; try :setlocal filetype=json"):format(filetype)
  elseif vim.bo[bufnr].buftype ~= '' then
    return 'This buffer is not a file'
  elseif vim.api.nvim_buf_get_name(bufnr) == '' then
    return 'This buffer has no name yet; try :file NAME.json'
  end
  return M.not_running
end

---@param bufnr integer
---@param client_id integer
function M.attached(bufnr, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  if client and client.name == M.name then
    language_of_buffer[bufnr] = client.get_language_id(bufnr, vim.bo[bufnr].filetype)
  end
end

---@param bufnr integer
function M.filetype_set(bufnr)
  hint_if_missing()
  local client = M.client(bufnr)
  if client and client.get_language_id(bufnr, vim.bo[bufnr].filetype) ~= language_of_buffer[bufnr] then
    vim.lsp.buf_detach_client(bufnr, client.id)
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
end

--- Takes up a buffer that was let go of for its change of name. Returns whether it was one.
---@param bufnr integer
---@return boolean
local function take_up(bufnr)
  local client_id = renaming[bufnr]
  renaming[bufnr] = nil
  if not client_id then
    return false
  end
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.lsp.buf_attach_client(bufnr, client_id)
  end
  return true
end

--- Closes the document under its old name.
---@param bufnr integer
function M.name_changes(bufnr)
  local client = M.client(bufnr)
  if client then
    vim.lsp.buf_detach_client(bufnr, client.id)
    renaming[bufnr] = client.id
    -- The change may yet be refused; then nobody says so.
    vim.schedule(function()
      take_up(bufnr)
    end)
  end
end

--- Neovim asks for the edits before a save under the name that the buffer was first attached with,
--- for good. The server does not know that name any more; this asks under the one it knows.
---@param bufnr integer
local function repair_before_write(bufnr)
  local client = M.client(bufnr)
  if not client or not client:supports_method('textDocument/willSaveWaitUntil', bufnr) then
    return
  end
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    reason = vim.lsp.protocol.TextDocumentSaveReason.Manual,
  }
  local response = client:request_sync('textDocument/willSaveWaitUntil', params, 1000, bufnr)
  if response and response.result then
    vim.lsp.util.apply_text_edits(response.result, bufnr, client.offset_encoding)
  end
end

--- Opens the document under its new name.
---@param bufnr integer
function M.name_changed(bufnr)
  if take_up(bufnr) then
    if not renamed[bufnr] then
      renamed[bufnr] = true
      vim.api.nvim_create_autocmd('BufWritePre', {
        group = 'json_repair',
        buffer = bufnr,
        desc = 'json-repair: repair on save under the new name',
        callback = function(args)
          repair_before_write(args.buf)
        end,
      })
    end
  elseif M.is_enabled() then
    -- It may be the first name of a buffer that had to wait for one.
    vim.api.nvim_exec_autocmds('FileType', {
      group = 'nvim.lsp.enable',
      buffer = bufnr,
      modeline = false,
    })
  end
end

return M
