-- Names that Neovim does not know, or not in every version. What is known already, to Neovim or
-- from the user's own vim.filetype.add(), stays as it is.
local filetypes = {
  ['code-snippets'] = 'jsonc',
  ['code-workspace'] = 'jsonc',
  jsonl = 'jsonl',
  jsonlines = 'jsonl',
  ndjson = 'jsonl',
}

for extension, filetype in pairs(filetypes) do
  if not vim.filetype.match({ filename = 'name.' .. extension }) then
    vim.filetype.add({ extension = { [extension] = filetype } })
  end
end
