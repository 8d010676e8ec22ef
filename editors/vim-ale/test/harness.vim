" What every case needs. A case ends with EndOfCases().

let s:fixtures = $JSON_REPAIR_FIXTURES
let s:lines = []
let g:said = []

" Output goes to a file: Vim writes its own messages to the terminal.
function! Print(line) abort
  call writefile([a:line], $JSON_REPAIR_RESULTS, 'a')
endfunction

" Waits until a condition, a function, is true.
function! Wait(what, Condition) abort
  for l:_ in range(1000)
    let l:value = a:Condition()
    if !empty(l:value)
      return l:value
    endif
    sleep 20m
  endfor
  throw 'waited in vain: ' . a:what
endfunction

function! Is(actual, expected) abort
  if a:actual !=# a:expected
    throw 'expected ' . string(a:expected) . ', got ' . string(a:actual)
  endif
endfunction

function! Fixture(name) abort
  return readfile(s:fixtures . '/' . a:name, 'b')
endfunction

" What is in the file of the buffer.
function! File() abort
  return readfile(expand('%:p'), 'b')
endfunction

" Opens a new file that holds some lines, as readfile(…, 'b') gives them.
function! OpenText(name, lines) abort
  let l:path = tempname() . '/' . a:name
  " ALE has a server for each repository: the file is in one of its own,
  " wherever the tests run.
  call mkdir(fnamemodify(l:path, ':h') . '/.git', 'p')
  call writefile(a:lines, l:path, 'b')
  execute 'edit' fnameescape(l:path)
endfunction

function! Open(name) abort
  call OpenText(a:name, Fixture(a:name))
endfunction

" What ALE shows of the buffer, from this server.
function! Problems() abort
  return filter(copy(get(get(g:ale_buffer_info, bufnr(''), {}), 'loclist', [])), 'v:val.linter_name is# "json_repair"')
endfunction

function! Problem() abort
  return Wait('a problem', function('Problems'))
endfunction

" Runs a test, a function.
function! Test(name, Run) abort
  try
    call a:Run()
    call Print('ok - vim ale: ' . a:name)
  catch
    call Print('not ok - vim ale: ' . a:name . ': ' . v:exception . ' at ' . v:throwpoint)
  endtry
  silent! %bwipeout!
endfunction

function! EndOfCases() abort
  call Print('end of cases')
  qall!
endfunction
