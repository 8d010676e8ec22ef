" What editors/try vim starts with: the file as a person would have it, with everything on that it
" offers.

set hidden backspace=2 encoding=utf-8 nobackup noswapfile number signcolumn=yes
let &runtimepath = $JSON_REPAIR_ALE . ',' . &runtimepath
filetype plugin indent on
syntax on

let g:json_repair_executable = $JSON_REPAIR_LSP
let g:json_repair_on_save = 1
let g:ale_linters_explicit = 1
source $JSON_REPAIR_EDITORS/vim-ale/json_repair.vim

nnoremap <silent> ]d :ALENextWrap<CR>
nnoremap <silent> [d :ALEPreviousWrap<CR>
nnoremap <silent> gra :ALECodeAction<CR>

" What there is to do, where it can be read all the time.
set showtabline=2
set tabline=\ A\ copy:\ your\ file\ stays\ as\ it\ is.\ \ ]d\ next\ problem\ \ gra\ fix\ it\ \ :JsonRepair\ \ :w\ repair\ and\ save
