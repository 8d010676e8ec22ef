;;; case-lsp-mode.el --- the cases of lsp-mode  -*- lexical-binding: t -*-

(require 'lsp-mode)
(require 'harness)

(defvar t-client (t-client "lsp-mode"))
(setq lsp-auto-guess-root t
      lsp-restart 'ignore
      lsp-enable-snippet nil
      lsp-session-file (expand-file-name "lsp-session" t-scratch)
      lsp-server-install-dir (expand-file-name "lsp-servers" t-scratch)
      lsp-diagnostics-provider :flymake
      lsp-modeline-code-actions-enable nil
      lsp-warn-no-matched-clients nil)

(defun t-served ()
  "Start the server now: `lsp-deferred' waits until the buffer is shown."
  (lsp)
  (t-wait "lsp-mode manages the buffer"
          (lambda () (and lsp-managed-mode
                          (cl-some (lambda (workspace)
                                     (eq (lsp--workspace-status workspace) 'initialized))
                                   (lsp-workspaces))))))

(defun t-diagnostics ()
  "Return the messages of the buffer's diagnostics, in order of place."
  (mapcar (lambda (diagnostic) (gethash "message" diagnostic))
          (gethash (lsp--fix-path-casing buffer-file-name) (lsp-diagnostics t))))

(defun t-diagnosed ()
  "Wait for diagnostics and return their messages."
  (t-wait "diagnostics" #'t-diagnostics))

(defun t-settle ()
  "Wait until the server has seen all, and what it says of it is here."
  (lsp-request "textDocument/codeAction" (lsp--text-document-code-action-params json-repair--kind))
  (accept-process-output nil 0.3))

(json-repair-setup 'lsp-mode)

(t-test "diagnostics"
  (t-open "trailing-commas.json")
  (t-served)
  (let ((texts (t-diagnosed)))
    (unless (string-match-p "railing comma" (car texts)) (error "%S" texts))))

(t-test "a quick fix removes the comma at the cursor and no other"
  (t-open-text "quick.json" "[1,]\n[\"né 🙂\", {\"a\": 1,}, 2,]\n")
  (t-served)
  (t-diagnosed)
  (goto-char (point-min))
  (search-forward "1,}")
  (backward-char 2)
  (let ((offered (lsp-code-actions-at-point "quickfix")))
    (lsp-execute-code-action
     (or (cl-find "Remove trailing comma" offered
                  :key (lambda (action) (gethash "title" action)) :test #'equal)
         (error "%S" offered))))
  (t-is (t-text) "[1,]\n[\"né 🙂\", {\"a\": 1}, 2,]\n"))

(dolist (name '("model-answer.json" "commented-config.json" "trailing-commas.json" "cut-string.json"))
  (t-test (concat name ": fix all, and undo")
    (t-open name)
    (t-served)
    (buffer-enable-undo)
    (undo-boundary)
    (t-is (json-repair-fix-all) t)
    (t-is (t-text) (t-fixture (concat name ".repaired")))
    (t-is (json-repair-fix-all) nil)
    (primitive-undo 1 buffer-undo-list)
    (t-is (t-text) (t-fixture name))))

(t-test "formatting is the repair"
  (t-open "commented-config.json")
  (t-served)
  (t-wait "formatting is registered" (lambda () (lsp-feature? "textDocument/formatting")))
  (lsp-format-buffer)
  (t-is (t-text) (t-fixture "commented-config.json.repaired")))

(t-test "json-repair-on-save: what was typed a moment ago is repaired too"
  (let ((json-repair-on-save t)
        (numbers ""))
    (t-open-text "save.json" "{\"é🙂\": [0]}\n")
    (t-served)
    (dotimes (n 20)
      (goto-char (point-min))
      (search-forward "[")
      (insert (format "%d, \"é🙂\", " n))
      (search-forward "]")
      (backward-char)
      (insert ",")
      (save-buffer)
      (setq numbers (concat (format "%d, \"é🙂\", " n) numbers))
      (t-is (t-text) (concat "{\"é🙂\": [" numbers "0]}\n"))
      (t-is (t-file buffer-file-name) (t-text)))))

(dolist (name '("editor-settings.jsonc" "tsconfig.json" ".vscode/settings.json"))
  (t-test (concat name ": comments and trailing commas stay")
    (let ((json-repair-on-save t)
          (text (t-fixture (if (file-name-directory name) "editor-settings.jsonc" name))))
      (t-open-text name text)
      (t-served)
      (t-settle)
      (t-is (t-diagnostics) nil)
      (t-is (json-repair-fix-all) nil)
      (set-buffer-modified-p t)
      (save-buffer)
      (t-is (t-file buffer-file-name) text))))

(dolist (name '("log.jsonl" "log.ndjson"))
  (t-test (concat name ": JSON Lines are repaired line by line")
    (let ((json-repair-on-save t))
      (t-open-text name "[\"né 🙂\", 1,]\n\n{\"a\": tru,}\n{\"b\": \"cut\n")
      (t-served)
      (t-wait "four diagnostics" (lambda () (= (length (t-diagnostics)) 4)))
      (set-buffer-modified-p t)
      (save-buffer)
      (t-is (t-file buffer-file-name) "[\"né 🙂\", 1]\n\n{\"a\": tru,}\n{\"b\": \"cut\"}\n"))))

(t-say "end of cases")
;;; case-lsp-mode.el ends here
