" The window of :JsonRepairReport.

if exists('b:current_syntax')
  finish
endif

syntax match jsonRepairTitle /\%1l.*/
syntax match jsonRepairKeys /\%2l.*/
syntax match jsonRepairTitle /^Still wrong after these edits$/
syntax match jsonRepairTitle /^Wrong$/
syntax match jsonRepairTitle /^Line \d\+: .*/

syntax match jsonRepairPlace /^ *\d\+:\d\+  / nextgroup=jsonRepairCode,jsonRepairRule
syntax match jsonRepairCode /\w\+ */ contained nextgroup=jsonRepairMessage
syntax match jsonRepairRule /\%(remove_comments\|remove_trailing_commas\|close_truncated\)\> */ contained
      \ nextgroup=jsonRepairRemoved,jsonRepairInserted
syntax match jsonRepairMessage /.*/ contained
syntax match jsonRepairRemoved /- .*/ contained
syntax match jsonRepairInserted /+ .*/ contained

" An edit of more than one line stands below its place.
syntax match jsonRepairRemoved /^ \{9}- .*/
syntax match jsonRepairInserted /^ \{9}+ .*/

highlight default link jsonRepairTitle Title
highlight default link jsonRepairKeys Comment
highlight default link jsonRepairPlace LineNr
highlight default link jsonRepairRule Identifier
highlight default link jsonRepairCode Identifier
highlight default link jsonRepairMessage DiagnosticError
highlight default link jsonRepairRemoved Removed
highlight default link jsonRepairInserted Added

let b:current_syntax = 'jsonrepairreport'
