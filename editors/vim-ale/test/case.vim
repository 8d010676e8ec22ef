source <sfile>:h/harness.vim

" Chooses the action of this title in :ALECodeAction.
function! Choose(title, command) abort
  let l:view = winsaveview()
  redir => l:menu
  silent execute 'normal' a:command . "\<CR>\<CR>"
  redir END
  " The second <CR> may also have gone to the next line.
  call winrestview(l:view)
  let l:line = filter(split(l:menu, "\n"), 'v:val =~# "^\\d\\+\\. " . a:title')
  if empty(l:line)
    throw 'not offered: ' . a:title . ' in ' . string(l:menu)
  endif
  " Not silent: then nobody would be asked, and nothing chosen.
  execute 'normal' a:command . "\<CR>" . matchstr(l:line[0], '^\d\+') . "\<CR>"
endfunction

function! s:Diagnostics() abort
  call Open('trailing-commas.json')
  let l:problem = Problem()[0]
  if l:problem.text !~# 'railing comma'
    throw string(l:problem)
  endif
  call Is([l:problem.lnum, l:problem.type], [2, 'E'])
endfunction
call Test('diagnostics', function('s:Diagnostics'))

function! s:QuickFix() abort
  call OpenText('quick.json', ['[1,]', '["né 🙂", {"a": 1,}, 2,]', ''])
  call Problem()
  call search('1\zs,}')
  call Choose('Remove trailing comma', ':ALECodeAction')
  call Is(getline(1, '$'), ['[1,]', '["né 🙂", {"a": 1}, 2,]'])
endfunction
call Test('a quick fix removes the comma at the cursor and no other', function('s:QuickFix'))

function! s:QuickFixInRange() abort
  call OpenText('range.json', ['[1,]', '["né 🙂", {"a": 1,}, 2,]', ''])
  call Problem()
  call Choose('Repair JSON', ':2ALECodeAction')
  call Is(getline(1, '$'), ['[1]', '["né 🙂", {"a": 1}, 2]'])
endfunction
call Test('the whole repair is offered for a range', function('s:QuickFixInRange'))

for s:name in ['model-answer.json', 'commented-config.json', 'trailing-commas.json', 'cut-string.json', 'dangling-comma.json', 'commented-config-crlf.json']
  function! s:Repair() abort
    call Open(s:name)
    let l:before = getline(1, '$')
    silent JsonRepair
    let l:after = getline(1, '$')
    undo
    call Is(getline(1, '$'), l:before)
    redo
    call Is(getline(1, '$'), l:after)
    set nofixendofline
    silent write
    call Is(File(), Fixture(s:name . '.repaired'))
  endfunction
  call Test(s:name . ': :JsonRepair, and undo', function('s:Repair'))

  function! s:Fix() abort
    call Open(s:name)
    let b:ale_fixers = ['json_repair']
    ALEFix
    set nofixendofline
    silent write
    call Is(File(), Fixture(s:name . '.repaired'))
  endfunction
  call Test(s:name . ': :ALEFix', function('s:Fix'))
endfor

function! s:Doubtful() abort
  call Open('lost-quote.json')
  silent JsonRepair
  ALEFix json_repair
  silent write
  call Is(File(), Fixture('lost-quote.json'))
endfunction
call Test('nothing is repaired unasked that is doubtful', function('s:Doubtful'))

function! s:Save() abort
  call Open('trailing-commas.json')
  call Problem()
  silent write
  call Is(File(), Fixture('trailing-commas.json'))
endfunction
call Test('a save repairs nothing by default', function('s:Save'))

function! s:RepairOnSave() abort
  let g:json_repair_on_save = 1
  try
    call OpenText('save.json', ['{"é🙂": [0]}', ''])
    let l:numbers = ''
    for l:number in range(20)
      execute 'normal! gg0f[a' . l:number . ", \"é🙂\", \<Esc>f]i,\<Esc>"
      silent write
      let l:numbers = l:number . ', "é🙂", ' . l:numbers
      call Is(File(), ['{"é🙂": [' . l:numbers . '0]}', ''])
      call Is(getline(1, '$'), ['{"é🙂": [' . l:numbers . '0]}'])
    endfor
  finally
    unlet g:json_repair_on_save
  endtry
endfunction
call Test('g:json_repair_on_save: what was typed a moment ago is repaired too', function('s:RepairOnSave'))

function! s:FixOnSave() abort
  call OpenText('fix.json', ['{"é🙂": [0]}', ''])
  let b:ale_fixers = ['json_repair']
  let b:ale_fix_on_save = 1
  execute "normal! gg0f]i,\<Esc>"
  silent write
  call Is(File(), ['{"é🙂": [0]}', ''])
endfunction
call Test('g:ale_fix_on_save', function('s:FixOnSave'))

for s:name in ['editor-settings.jsonc', 'tsconfig.json', '.vscode/settings.json']
  function! s:Untouched() abort
    let g:json_repair_on_save = 1
    try
      let l:text = Fixture(s:name =~# '/' ? 'editor-settings.jsonc' : s:name)
      call OpenText(s:name, l:text)
      silent JsonRepair
      ALEFix json_repair
      sleep 300m
      call Is(Problems(), [])
      set modified
      silent write
      call Is(File(), l:text)
    finally
      unlet g:json_repair_on_save
    endtry
  endfunction
  call Test(s:name . ': comments and trailing commas stay', function('s:Untouched'))
endfor

function! s:Lines() abort
  let g:json_repair_on_save = 1
  try
    for l:name in ['log.jsonl', 'log.ndjson']
      call OpenText(l:name, ['["né 🙂", 1,]', '', '{"a": tru, }', '{"b": "cut', ''])
      call Wait('four problems', {-> len(Problems()) == 4})
      call cursor(3, 10)
      call Choose('Remove trailing comma', ':ALECodeAction')
      call Is(getline(3), '{"a": tru }')
      silent write
      call Is(File(), ['["né 🙂", 1]', '', '{"a": tru }', '{"b": "cut"}', ''])
    endfor
  finally
    unlet g:json_repair_on_save
  endtry
endfunction
call Test('JSON Lines are repaired line by line', function('s:Lines'))

function! s:Missing() abort
  let g:json_repair_executable = 'no-such-server'
  try
    call OpenText('missing.json', ['[1,]', ''])
    redir => l:said
    silent JsonRepair
    redir END
    if l:said !~# 'cannot be started: no-such-server'
      throw 'it said ' . string(l:said)
    endif
    call Is(getline(1, '$'), ['[1,]'])
  finally
    unlet g:json_repair_executable
  endtry
endfunction
call Test('a missing server is a message, not an error', function('s:Missing'))

function! s:Settings() abort
  let g:json_repair_settings = {'rules': ['close_truncated']}
  try
    call OpenText('settings.json', ['[1,]', '[2'])
    " A server of its own: ALE has one for each root.
    silent JsonRepair
    call Is(getline(1, '$'), ['[1,]', '[2'])
    " ALE sends the settings once the server is there, which may have looked
    " at the text already.
    let l:IsLeftAlone = {-> get(Problems(), 0, {'code': ''}).code ==# 'unexpected_character'}
    call Wait('the error that is left alone', l:IsLeftAlone)
  finally
    unlet g:json_repair_settings
  endtry
endfunction
call Test('the settings reach the server', function('s:Settings'))

call EndOfCases()
