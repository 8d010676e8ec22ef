# json-repair-lsp in Kakoune, through kak-lsp. Copy this into ~/.config/kak/autoload/, or into kakrc
# behind `eval %sh{kak-lsp}`.

# The server goes by the name of the file: these are not all the same to it.
hook -group json-repair global BufCreate .*[.](jsonc|jsonl|ndjson) %{
    set-option buffer filetype json
}

# kak-lsp's own hook for JSON is taken out: it would set the list of servers, too.
remove-hooks global lsp-filetype-json

hook -group json-repair global BufSetOption filetype=json %{
    set-option buffer lsp_servers %{
        [json-repair-lsp]
        args = ["--stdio"]
        root_globs = [".git", ".hg"]
        settings_section = "jsonRepair"
        [json-repair-lsp.settings.jsonRepair]
        "diagnostics.severity" = "error"
    }
}

hook -group json-repair global WinSetOption filetype=json lsp-enable-window

# Repair every save, if that makes the document valid and nothing about it is doubtful:
# hook -group json-repair global BufWritePre .*[.]jsonc? lsp-formatting-sync
