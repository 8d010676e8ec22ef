-- What Neovim 0.10 calls otherwise, in one place. It can go when 0.10 is no longer supported.

local M = {}

local is_old = vim.fn.has('nvim-0.11') == 0

--- Whether servers are configured with vim.lsp.config() and vim.lsp.enable().
---@return boolean
function M.has_lsp_config()
  return vim.lsp.config ~= nil and vim.lsp.enable ~= nil
end

--- Calls a method of a client: up to 0.10 they were functions that know their client.
---@param client vim.lsp.Client
---@param method string
function M.call(client, method, ...)
  if is_old then
    return client[method](...)
  end
  return client[method](client, ...)
end

---@param client vim.lsp.Client
---@param method string
---@param bufnr? integer
---@return boolean
function M.supports_method(client, method, bufnr)
  if is_old then
    return client.supports_method(method, { bufnr = bufnr })
  end
  return client:supports_method(method, bufnr)
end

--- Starts a server that no buffer is attached to yet.
---@param config vim.lsp.ClientConfig
---@return integer? client_id
function M.start_unattached(config)
  if is_old then
    return (vim.lsp.start_client(config))
  end
  return vim.lsp.start(config, { attach = false })
end

---@param text string
---@return integer
function M.utf16_length(text)
  if is_old then
    return (select(2, vim.str_utfindex(text)))
  end
  return vim.str_utfindex(text, 'utf-16')
end

--- The characters in the first bytes of a text, or in all of it.
---@param text string
---@param bytes? integer
---@return integer
function M.characters(text, bytes)
  text = bytes and text:sub(1, bytes) or text
  if is_old then
    return (vim.str_utfindex(text))
  end
  return vim.str_utfindex(text, 'utf-32')
end

--- How many bytes the first UTF-16 code units of a text take; all of them if it has fewer units.
---@param text string
---@param units integer
---@return integer
function M.bytes_of_utf16(text, units)
  if is_old then
    return vim.str_byteindex(text, math.min(units, M.utf16_length(text)), true)
  end
  return vim.str_byteindex(text, 'utf-16', units, false)
end

return M
