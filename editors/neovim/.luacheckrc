std = 'luajit'
-- Neovim's options, variables and environment are set by assigning to fields of this one.
globals = { 'vim' }
max_line_length = 110
