-- What `editors/try nvim` runs before anything else: the plugin as a person would have it, with
-- everything on that it offers. It is run by --cmd, on top of --clean.

local plugin = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
vim.opt.runtimepath:prepend(plugin)

require('json_repair').setup({
  cmd = { vim.env.JSON_REPAIR_LSP },
  on_save = true,
})

-- Neovim shows signs and underlines by itself; the messages have to be asked for. Beside a long
-- line there is little room for one, so the cursor's line also gets a float.
vim.diagnostic.config({ severity_sort = true, virtual_text = true })
vim.o.updatetime = 300
vim.api.nvim_create_autocmd('CursorHold', {
  callback = function()
    vim.diagnostic.open_float({ scope = 'line', focusable = false })
  end,
})

vim.o.number = true
vim.o.signcolumn = 'yes'

-- What there is to do, where it can be read all the time.
vim.o.statusline = " %f %m%=%{v:lua.require'json_repair'.statusline()}   %l:%c "
vim.o.showtabline = 2
vim.o.tabline = ' A copy: your file stays as it is.   ]d next problem   gra fix it'
vim.o.winbar = "%{&buftype ==# '' "
  .. "? ' :JsonRepairPreview see the repair   :JsonRepair make it   :w repair and save'"
  .. " : ''}"
