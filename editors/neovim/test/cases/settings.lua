local t = require('harness')

local help = t.read(vim.env.JSON_REPAIR_PLUGIN .. '/doc/json_repair.txt')
local section = assert(help:match('\n5%. SETTINGS\t(.-)\n====='))
local names = {}
for name in section:gmatch('\n([%a.]+)[\t\n]') do
  table.insert(names, name)
end

t.test('the help documents settings', function()
  t.ok(#names >= 8, vim.inspect(names))
end)

t.test('they are those of the server', function()
  local source = t.read(vim.fs.joinpath(vim.env.root_dir, 'src/server/settings.rs'))
  local known = {}
  for name in source:gmatch('\n +"([%a.]+)" => [%w_]+:') do
    table.insert(known, name)
  end
  table.sort(known)
  local documented = vim.deepcopy(names)
  table.sort(documented)
  t.equal(documented, known)
end)

t.test('the server knows every setting of the help, and names one with a wrong value', function()
  local settings = {}
  for _, name in ipairs(names) do
    local place = settings
    local keys = vim.split(name, '.', { plain = true })
    for i = 1, #keys - 1 do
      place[keys[i]] = place[keys[i]] or {}
      place = place[keys[i]]
    end
    place[keys[#keys]] = -1
  end

  local complaints = {}
  t.configure({
    settings = { jsonRepair = settings },
    handlers = {
      ['window/showMessage'] = function(_, params)
        table.insert(complaints, params.message)
      end,
    },
  })
  t.enable()
  t.open('valid.json')

  for _, name in ipairs(names) do
    t.wait(function()
      return vim.iter(complaints):any(function(complaint)
        return complaint:find(('`jsonRepair.%s`'):format(name), 1, true) ~= nil
      end)
    end, name .. ' is complained about')
  end
end)

t.finish()
