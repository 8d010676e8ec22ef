-- :checkhealth json_repair

local attach = require('json_repair.attach')
local compat = require('json_repair.compat')

local M = {}

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.10') == 0 then
    vim.health.error('Neovim ' .. version .. ' is too old', { 'Install Neovim 0.10 or newer' })
  elseif compat.has_lsp_config() then
    vim.health.ok('Neovim ' .. version)
  else
    vim.health.ok('Neovim ' .. version .. ', without vim.lsp.config(): setup() starts the server')
  end
end

--- Whether the server can be run.
---@param config vim.lsp.Config
local function check_server(config)
  if type(config.cmd) == 'function' then
    vim.health.info('The command is a function: not checked')
    return
  end
  local program = config.cmd[1]
  if attach.is_missing() then
    vim.health.error(("'%s' is not an executable"):format(program), {
      'Install it: cargo install --path . in a checkout of json-repair-lsp',
      "Or name it: require('json_repair').setup({ cmd = { '/path/to/json-repair-lsp' } })",
    })
    return
  end
  local path = vim.fn.exepath(program)
  local started, process = pcall(vim.system, { program, '--version' }, { text = true, timeout = 5000 })
  local result = started and process:wait()
  if result and result.code == 0 then
    vim.health.ok(('%s (%s)'):format(vim.trim(result.stdout), path))
  else
    local reason = result and vim.trim(result.stderr) or tostring(process)
    vim.health.error(("'%s --version' failed: %s"):format(path, reason))
  end
end

---@param config vim.lsp.Config
local function check_clients(config)
  if not attach.is_enabled() then
    local has_enable = compat.has_lsp_config()
    local call = has_enable and "vim.lsp.enable('json_repair')" or "require('json_repair').setup()"
    vim.health.warn('The server is not enabled', { ('Add %s to your configuration'):format(call) })
    return
  end
  local clients = vim.lsp.get_clients({ name = attach.name })
  if #clients == 0 then
    vim.health.info('Enabled, not running: it starts with the first buffer of filetype '
      .. table.concat(config.filetypes or {}, ', '))
    return
  end
  for _, client in ipairs(clients) do
    local version = vim.tbl_get(client, 'server_info', 'version') or '?'
    local names = {}
    for _, bufnr in ipairs(vim.tbl_keys(client.attached_buffers)) do
      local name = vim.api.nvim_buf_get_name(bufnr)
      local language = client.get_language_id(bufnr, vim.bo[bufnr].filetype)
      table.insert(names, ('%s (%s)'):format(vim.fn.fnamemodify(name, ':~:.'), language))
    end
    table.sort(names)
    vim.health.ok(('Client %d runs version %s, attached to: %s'):format(
      client.id,
      version,
      #names > 0 and table.concat(names, ', ') or 'no buffer'
    ))
  end
end

--- The buffers that a person may wonder about.
---@param config vim.lsp.Config
local function check_other_buffers(config)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local is_shown = vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buflisted
    if is_shown and attach.has_filetype(bufnr) and not attach.client(bufnr) then
      local name = vim.api.nvim_buf_get_name(bufnr)
      local label = name == '' and ('Buffer %d'):format(bufnr) or vim.fn.fnamemodify(name, ':~:.')
      if attach.is_loose(bufnr) then
        vim.health.info(label .. ' is no file: only the commands work there (:help json_repair-unnamed)')
      elseif attach.is_enabled() and not attach.is_missing() then
        local program = type(config.cmd) == 'table' and config.cmd[1] or 'the server'
        vim.health.warn(('%s has no server: %s ended, or was not started'):format(label, program), {
          'Reload the buffer: :edit',
          'See what the server said: :checkhealth vim.lsp names the log',
        })
      end
    end
  end
end

---@param config vim.lsp.Config
local function check_settings(config)
  local settings = vim.tbl_get(config, 'settings', 'jsonRepair')
  local options = config.init_options
  local function show(name, value)
    local text = (value == nil or vim.tbl_isempty(value)) and 'the defaults' or vim.inspect(value)
    vim.health.info(name .. ': ' .. text)
  end
  show('settings.jsonRepair', settings)
  if options then
    show('init_options', options)
  end

  for _, client in ipairs(vim.lsp.get_clients({ name = attach.name })) do
    local on_save = compat.supports_method(client, 'textDocument/willSaveWaitUntil')
    vim.health.info(('Client %d: repair on save is %s'):format(client.id, on_save and 'on' or 'off'))
  end
end

function M.check()
  vim.health.start('json_repair')
  check_neovim()
  local config = attach.config()
  if not config or not config.cmd then
    vim.health.error("There is no configuration 'json_repair'", {
      "The directory editors/neovim is not on the 'runtimepath'",
    })
    return
  end
  check_server(config)
  check_clients(config)
  check_other_buffers(config)
  check_settings(config)
end

return M
