" json-repair-lsp in Vim, through ALE. Copy this file into ~/.vim/plugin/.
"
"   :ALECodeAction       in a JSON buffer: what can be repaired at the cursor or in a range of lines
"   :JsonRepair          the whole repair, if it makes the buffer valid and nothing is doubtful
"   json_repair          the same as a fixer of ALE, for :ALEFix and g:ale_fix_on_save
"
"   g:json_repair_executable   the server; default: json-repair-lsp
"   g:json_repair_settings     a Dictionary of the server's settings
"   g:json_repair_on_save      1: repair before every save; default: 0

if exists('g:loaded_json_repair') || &compatible
  finish
endif
let g:loaded_json_repair = 1

let s:filetypes = ['json', 'jsonc', 'jsonl']
let s:kind = 'source.fixAll.jsonRepair'
" How long an answer is waited for, in milliseconds.
let s:patience = 2000

function! s:Define() abort
  for l:filetype in s:filetypes
    " What is defined first is overlooked when a list is set; what ALE would use is kept.
    let l:linters = map(copy(ale#linter#Get(l:filetype)), 'v:val.name')
    let g:ale_linters = get(g:, 'ale_linters', {})
    let g:ale_linters[l:filetype] = filter(l:linters, 'v:val isnot# "json_repair"') + ['json_repair']
    call ale#linter#Define(l:filetype, {
    \   'name': 'json_repair',
    \   'lsp': 'stdio',
    \   'executable': {-> get(g:, 'json_repair_executable', 'json-repair-lsp')},
    \   'command': '%e --stdio',
    \   'language': l:filetype,
    \   'project_root': function('s:Root'),
    \   'initialization_options': {-> get(g:, 'json_repair_settings', {})},
    \})
  endfor
  call ale#fix#registry#Add('json_repair', 'JsonRepairFix', s:filetypes, 'Repair JSON with json-repair-lsp')
endfunction

function! s:Root(buffer) abort
  let l:git = ale#path#FindNearestDirectory(a:buffer, '.git')
  return empty(l:git) ? fnamemodify(bufname(a:buffer), ':p:h') : fnamemodify(l:git, ':h:h')
endfunction

" The protocol counts UTF-16 code units; Vim and ALE count bytes, and ALE 3.3 takes the one for the
" other. So behind the first character outside ASCII its own :ALECodeAction changes the wrong place.

function! s:Units(text) abort
  return strchars(a:text) + len(filter(str2list(a:text), 'v:val > 0xFFFF'))
endfunction

function! s:Bytes(line, units) abort
  let [l:units, l:bytes] = [a:units, 0]
  for l:char in str2list(a:line)
    if l:units <= 0
      break
    endif
    let l:units -= l:char > 0xFFFF ? 2 : 1
    let l:bytes += strlen(nr2char(l:char, 1))
  endfor
  return min([l:bytes, strlen(a:line)])
endfunction

" Asks the server for something about the buffer, and waits for the answer.
function! s:Request(buffer, method, params) abort
  let l:answer = {}
  let l:params = extend({'textDocument': {'uri': ale#util#ToURI(expand('#' . a:buffer . ':p'))}}, a:params)
  let l:Send = {linter, details -> [
  \   ale#lsp#NotifyForChanges(details.connection_id, a:buffer),
  \   ale#lsp_linter#SendRequest(a:buffer, 'json_repair', [0, a:method, l:params], {response -> extend(l:answer, {'response': response})}),
  \]}
  let l:linter = filter(ale#linter#GetAll([getbufvar(a:buffer, '&filetype')]), 'v:val.name is# "json_repair"')[0]
  let l:tick = getbufvar(a:buffer, 'changedtick')
  if !ale#lsp_linter#StartLSP(a:buffer, l:linter, l:Send)
    throw 'json-repair: the server cannot be started: ' . get(g:, 'json_repair_executable', 'json-repair-lsp')
  endif
  let l:waited = 0
  while !has_key(l:answer, 'response') && l:waited < s:patience
    sleep 5m
    let l:waited += 5
  endwhile
  if !has_key(l:answer, 'response')
    throw 'json-repair: the server does not answer'
  elseif has_key(l:answer.response, 'error')
    throw 'json-repair: ' . l:answer.response.error.message
  elseif getbufvar(a:buffer, 'changedtick') != l:tick
    throw 'json-repair: the buffer has changed in the meantime'
  endif
  return l:answer.response.result
endfunction

" The code actions between two byte positions [line, column], from 1, the second one exclusive.
function! s:Actions(buffer, start, end, only) abort
  let l:range = {}
  for [l:name, l:position] in [['start', a:start], ['end', a:end]]
    let l:before = strpart(get(getbufline(a:buffer, l:position[0]), 0, ''), 0, l:position[1] - 1)
    let l:range[l:name] = {'line': l:position[0] - 1, 'character': s:Units(l:before)}
  endfor
  let l:context = {'diagnostics': [], 'only': a:only, 'triggerKind': 1}
  let l:actions = s:Request(a:buffer, 'textDocument/codeAction', {'range': l:range, 'context': l:context})
  return type(l:actions) is v:t_list ? l:actions : []
endfunction

" The edits of an action, the last one first, so that each leaves the places of the next alone.
function! s:Edits(action) abort
  let l:edits = []
  for l:more in values(ale#code_action#GetChanges(a:action.edit))
    let l:edits += l:more
  endfor
  let l:Place = {edit -> [edit.range.start.line, edit.range.start.character]}
  return reverse(sort(l:edits, {a, b -> l:Place(a)[0] != l:Place(b)[0]
  \   ? l:Place(a)[0] - l:Place(b)[0] : l:Place(a)[1] - l:Place(b)[1]}))
endfunction

" What stands in lines `first` to `last` (from 0) after an edit.
function! s:Edited(lines, edit) abort
  let [l:start, l:end] = [a:edit.range.start, a:edit.range.end]
  " Past the last line there is only its end.
  let l:last = len(a:lines) - 1
  let l:head = l:start.line > l:last ? a:lines[l:last] : strpart(a:lines[l:start.line], 0, s:Bytes(a:lines[l:start.line], l:start.character))
  let l:tail = l:end.line > l:last ? '' : strpart(a:lines[l:end.line], s:Bytes(a:lines[l:end.line], l:end.character))
  return [min([l:start.line, l:last]), min([l:end.line, l:last]), split(l:head . a:edit.newText . l:tail, "\n", 1)]
endfunction

" Applies an action to the current buffer, line by line, so that marks and folds stay.
function! s:Apply(action) abort
  let l:view = winsaveview()
  for l:edit in s:Edits(a:action)
    let [l:first, l:last, l:new] = s:Edited(getline(1, '$'), l:edit)
    let l:common = min([l:last - l:first + 1, len(l:new)])
    call setline(l:first + 1, l:new[: l:common - 1])
    if len(l:new) > l:common
      call append(l:first + l:common, l:new[l:common :])
    elseif l:last - l:first + 1 > l:common
      call deletebufline('%', l:first + l:common + 1, l:last + 1)
    endif
  endfor
  call winrestview(l:view)
endfunction

function! s:Say(exception) abort
  echohl WarningMsg
  echomsg substitute(a:exception, '^Vim[^:]*:', '', '')
  echohl None
endfunction

" The code actions at the cursor, or in some lines; the one that is chosen is made.
function! s:CodeAction(has_range, first, last) abort
  try
    if a:has_range
      let [l:start, l:end] = [[a:first, 1], [a:last, col([a:last, '$'])]]
    else
      let l:start = [line('.'), col('.')]
      let l:end = [line('.'), col('.') + strlen(matchstr(getline('.'), '\%' . col('.') . 'c.'))]
    endif
    let l:actions = s:Actions(bufnr(''), l:start, l:end, ['quickfix', 'refactor.rewrite'])
    if empty(l:actions)
      echo 'Nothing to repair here'
      return
    endif
    let l:choice = inputlist(['Repair:'] + map(copy(l:actions), '(v:key + 1) . ". " . v:val.title'))
    if l:choice > 0 && l:choice <= len(l:actions)
      call s:Apply(l:actions[l:choice - 1])
    endif
  catch
    call s:Say(v:exception)
  endtry
endfunction

" The unasked repair of the current buffer.
function! s:Repair() abort
  try
    let l:actions = s:Actions(bufnr(''), [1, 1], [line('$'), col([line('$'), '$'])], [s:kind])
    if !empty(l:actions)
      call s:Apply(l:actions[0])
    endif
    return !empty(l:actions)
  catch
    call s:Say(v:exception)
  endtry
endfunction

" The fixer. It says nothing of lines that an earlier fixer made: the server has not seen them.
function! JsonRepairFix(buffer, lines) abort
  if a:lines !=# getbufline(a:buffer, 1, '$')
    return 0
  endif
  try
    let l:actions = s:Actions(a:buffer, [1, 1], [1, 1], [s:kind])
    if empty(l:actions)
      return 0
    endif
    let l:lines = copy(a:lines)
    for l:edit in s:Edits(l:actions[0])
      let [l:first, l:last, l:new] = s:Edited(l:lines, l:edit)
      let l:lines = (l:first > 0 ? l:lines[: l:first - 1] : []) + l:new + l:lines[l:last + 1 :]
    endfor
    return l:lines
  catch
    call s:Say(v:exception)
    return 0
  endtry
endfunction

function! s:SetUp() abort
  if !exists('s:is_defined')
    let s:is_defined = 1
    try
      call s:Define()
    catch /E117/
      call s:Say('json-repair: ALE is not installed')
      return
    endtry
  endif
  command! -buffer -range ALECodeAction call s:CodeAction(<range>, <line1>, <line2>)
  command! -buffer JsonRepair if !s:Repair() | echo 'Nothing to repair without being asked' | endif
endfunction

augroup json_repair
  autocmd!
  " Vim 9.0 has no name for these.
  autocmd BufNewFile,BufRead *.jsonl,*.ndjson setfiletype jsonl
  autocmd FileType json,jsonc,jsonl call s:SetUp()
  autocmd BufWritePre * if get(g:, 'json_repair_on_save', 0) && index(s:filetypes, &filetype) >= 0 | call s:Repair() | endif
augroup END
