;;; case-eglot.el --- the cases of Eglot  -*- lexical-binding: t -*-

(require 'eglot)
(require 'harness)

(defvar t-client (t-client "eglot"))
(setq eglot-autoshutdown nil)

(defun t-served ()
  "Wait until the buffer is served: `eglot-ensure' waits for the next command."
  (run-hooks 'post-command-hook)
  (t-wait "Eglot manages the buffer" (lambda () (and eglot--managed-mode (eglot-current-server)))))

(defun t-diagnostics ()
  "Return the texts of the buffer's diagnostics, in order of place."
  (flymake-start)
  (mapcar #'flymake-diagnostic-text
          (sort (flymake-diagnostics)
                (lambda (a b) (< (flymake-diagnostic-beg a) (flymake-diagnostic-beg b))))))

(defun t-diagnosed ()
  "Wait for diagnostics and return their texts."
  (t-wait "diagnostics" #'t-diagnostics))

(defun t-settle ()
  "Wait until the server has seen all, and what it says of it is here."
  (eglot--signal-textDocument/didChange)
  (eglot-code-actions (point-min) (point-max) json-repair--kind)
  (accept-process-output nil 0.3))

(defun t-stop ()
  "Stop every server."
  (mapc #'eglot-shutdown (apply #'append (hash-table-values eglot--servers-by-project))))

(json-repair-setup 'eglot)

(t-test "diagnostics"
  (t-open "trailing-commas.json")
  (t-served)
  (let ((texts (t-diagnosed)))
    (unless (string-match-p "railing comma" (car texts)) (error "%S" texts)))
  (t-is (and (derived-mode-p 'js-mode 'js-base-mode 'json-mode 'json-ts-mode) t) t))

(t-test "a quick fix removes the comma at the cursor and no other"
  (t-open-text "quick.json" "[1,]\n[\"né 🙂\", {\"a\": 1,}, 2,]\n")
  (t-served)
  (t-diagnosed)
  (goto-char (point-min))
  (search-forward "1,}")
  (backward-char 2)
  (let* ((offered (eglot-code-actions (point) (point) "quickfix"))
         (titles (mapcar (lambda (action) (plist-get action :title)) offered)))
    (unless (member "Remove trailing comma" titles) (error "%S" titles))
    (cl-letf (((symbol-function 'completing-read) (lambda (&rest _) "Remove trailing comma"))
              (last-nonmenu-event t))
      (eglot-code-actions (point) (point) "quickfix" t)))
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
  (eglot-format-buffer)
  (t-is (t-text) (t-fixture "commented-config.json.repaired")))

(t-test "nothing is repaired unasked that is doubtful"
  (t-open "lost-quote.json")
  (t-served)
  (t-is (json-repair-fix-all) nil)
  (eglot-format-buffer)
  (t-is (t-text) (t-fixture "lost-quote.json")))

(t-test "a save repairs nothing by default"
  (t-open "trailing-commas.json")
  (t-served)
  (set-buffer-modified-p t)
  (save-buffer)
  (t-is (t-file buffer-file-name) (t-fixture "trailing-commas.json")))

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

(t-test "the settings reach the server"
  (let ((json-repair-settings '(:rules ["close_truncated"])))
    (t-stop)
    (t-open "trailing-commas.json")
    (t-served)
    (t-is (length (t-diagnosed)) 1)
    (t-is (json-repair-fix-all) nil))
  (t-stop))

(t-test "onSave in the settings cannot reach Eglot"
  (let ((json-repair-settings '(:onSave t))
        (eglot-workspace-configuration '(:jsonRepair (:onSave t))))
    (t-stop)
    (t-open-text "typed.json" "[1, 2]\n")
    (t-served)
    (accept-process-output nil 0.5)
    (t-is (eglot--server-capable :textDocumentSync :willSaveWaitUntil) nil)
    (goto-char (point-min))
    (insert "[\"typed\",],")
    (save-buffer)
    (t-is (t-file buffer-file-name) "[\"typed\",],[1, 2]\n")))

(dolist (name '("editor-settings.jsonc" "tsconfig.json" ".vscode/settings.json"))
  (t-test (concat name ": comments and trailing commas stay")
    (let ((json-repair-on-save t)
          (text (t-fixture (if (file-name-directory name) "editor-settings.jsonc" name))))
      (t-open-text name text)
      (t-served)
      (t-settle)
      (t-is (t-diagnostics) nil)
      (t-is (json-repair-fix-all) nil)
      (eglot-format-buffer)
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

(t-stop)
(t-test "a missing server is a message, not an error"
  (let ((json-repair-command '("no-such-server")))
    (t-open "valid.json")
    (run-hooks 'post-command-hook)
    (t-is eglot--managed-mode nil)
    (t-is (local-variable-p 'before-save-hook) nil)))

(t-say "end of cases")
;;; case-eglot.el ends here
