local t = require('harness')

-- A copy, so that the tests leave no tags file in the plugin.
local copy = vim.fn.tempname()
vim.fn.mkdir(copy .. '/doc', 'p')
local help = t.read(vim.env.JSON_REPAIR_PLUGIN .. '/doc/json_repair.txt')
t.write(copy .. '/doc/json_repair.txt', help)

t.test('the help file has tags, none twice', function()
  vim.cmd.helptags(copy .. '/doc')
  vim.opt.runtimepath:append(copy)
  vim.cmd.help('json_repair')
  t.equal(vim.bo.filetype, 'help')
  vim.cmd.help(':JsonRepair')
end)

t.test('it has every command and every function', function()
  for name in pairs(vim.api.nvim_get_commands({})) do
    if vim.startswith(name, 'JsonRepair') then
      t.ok(help:find(('*:%s*'):format(name), 1, true), name)
    end
  end
  for name in pairs(require('json_repair')) do
    t.ok(help:find(('*json_repair.%s()*'):format(name), 1, true), name)
  end
end)

t.test('every reference in it leads somewhere', function()
  local broken = {}
  for reference in help:gmatch('|([^%s|]+)|') do
    if not vim.list_contains(vim.fn.getcompletion(reference, 'help'), reference) then
      table.insert(broken, reference)
    end
  end
  -- The help of an older Neovim lacks what it lacks.
  t.ok(#broken == 0 or vim.fn.has('nvim-0.11') == 0, vim.inspect(broken))
end)

t.test('no line is wider than a help window', function()
  for line in vim.gsplit(help, '\n') do
    t.ok(vim.fn.strdisplaywidth(line) <= 80, 'too wide: ' .. line)
  end
end)

t.finish()
