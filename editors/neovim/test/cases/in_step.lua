-- Whatever is done to a buffer, the server's text is the buffer's: Neovim sends changes, not texts.
-- But for empty lines at the end, which are none of the candidate: Neovim 0.11 sends an empty change
-- when the last of two empty lines is deleted.

local t = require('harness')

t.enable()

--- The server's report on the buffer: the one that it keeps, or one made anew under the given rules.
local function report(rules)
  return t.command('jsonRepair.report', { uri = vim.uri_from_bufnr(0), rules = rules })
end

local all_rules = { 'remove_comments', 'close_truncated', 'remove_trailing_commas' }

local function feed(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

--- The commands of a person who is in a hurry.
local commands = {
  'iä, 🙂"<Esc>',
  'A,<CR>"ключ": [<Esc>',
  'O// 日本語<Esc>',
  'o<Esc>',
  'x',
  'dd',
  'dw',
  'D',
  'J',
  'yyp',
  'yyP',
  'ggdG',
  'Gdd',
  'ddggP',
  'u',
  'u',
  '<C-r>',
  ':silent! %s/"/\'/<CR>',
  ':silent! g/,/normal! A/* é */<CR>',
  ':silent! move 0<CR>',
  'gg0i[{"𝄞": 1,<Esc>',
  'Vgg"ad"aPp',
  '<C-v>jld',
  'ggVGyGp',
  '>>',
  'rπ',
  'g??',
}
local motions = { 'gg', 'G', 'j', 'k', '0', '$', 'w', 'b', 'fé', 'l' }

--- Makes the given number of changes to the current buffer, the same ones each time.
---@param count integer
---@param most_lines integer
local function change(count, most_lines)
  local seed = 42
  local function pick(choices)
    seed = (seed * 1103515245 + 12345) % 2 ^ 31
    return choices[math.floor(seed / 65536) % #choices + 1]
  end
  for i = 1, count do
    local motion, command = pick(motions), pick(commands)
    feed(motion)
    feed(command)
    if vim.api.nvim_buf_line_count(0) > most_lines then
      feed(('%dGdG'):format(most_lines / 2))
    end
    if i % 10 == 0 then
      local where = ('after change %d, %s%s'):format(i, motion, command)
      -- Under no rules nothing is repaired: that is the text as the server has it.
      local actual = t.candidate(report({}).text)
      t.equal(actual, (t.candidate(t.buffer())), where)
      t.equal(report(), report(all_rules), 'the report that is kept, ' .. where)
    end
  end
  -- Some of the commands find nothing to do.
  vim.v.errmsg = ''
end

for _, fileformat in ipairs({ 'unix', 'dos' }) do
  t.test('a thousand changes to a ' .. fileformat .. ' file', function()
    t.open(fileformat == 'dos' and 'commented-config-crlf.json' or 'commented-config.json')
    t.equal(vim.bo.fileformat, fileformat)
    change(1000, 200)
  end)
end

t.test('a hundred changes in the midst of a long file', function()
  local record = t.fixture('commented-config.json'):gsub('\n$', ',\n')
  t.open_text('long.json', '[\n' .. record:rep(400) .. ']\n')
  t.wait_for_server()
  motions = { '50%', '30%', '}', 'j', 'k', '0', '$', 'w', 'fé' }
  commands = vim.tbl_filter(function(command)
    return not vim.list_contains({ 'ggdG', 'ggVGyGp', ':silent! g/,/normal! A/* é */<CR>' }, command)
  end, commands)
  change(100, 10000)
end)

t.finish()
