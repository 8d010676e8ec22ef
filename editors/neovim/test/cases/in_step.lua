-- Whatever is done to a buffer, the server's text is the buffer's: Neovim sends changes, not texts.
-- But for empty lines at the end, which are none of the candidate: Neovim 0.11 sends an empty change
-- when the last of two empty lines is deleted.

local t = require('harness')

vim.lsp.enable('json_repair')

--- The document as the server has it: the report under no rules repairs nothing.
local function server_text()
  local bufnr = vim.api.nvim_get_current_buf()
  local response = assert(t.client()):request_sync('workspace/executeCommand', {
    command = 'jsonRepair.report',
    arguments = { { uri = vim.uri_from_bufnr(bufnr), rules = {} } },
  }, 10000, bufnr)
  t.ok(response and response.result, vim.inspect(response))
  return response.result.text
end

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

for _, fileformat in ipairs({ 'unix', 'dos' }) do
  t.test('a thousand changes to a ' .. fileformat .. ' file', function()
    t.open(fileformat == 'dos' and 'commented-config-crlf.json' or 'commented-config.json')
    t.equal(vim.bo.fileformat, fileformat)
    -- The same ones each time.
    local seed = 42
    local function pick(choices)
      seed = (seed * 1103515245 + 12345) % 2 ^ 31
      return choices[math.floor(seed / 65536) % #choices + 1]
    end
    for i = 1, 1000 do
      local motion, command = pick(motions), pick(commands)
      feed(motion)
      feed(command)
      if vim.api.nvim_buf_line_count(0) > 200 then
        feed('50GdG')
      end
      if i % 10 == 0 then
        local expected = t.candidate(t.buffer())
        local actual = t.candidate(server_text())
        t.equal(actual, expected, ('after change %d, %s%s'):format(i, motion, command))
      end
    end
    -- Some of the commands find nothing to do.
    vim.v.errmsg = ''
  end)
end

t.finish()
