;;; json-repair.el --- JSON repaired by json-repair-lsp  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "28.1"))
;; Keywords: languages, tools

;;; Commentary:

;; Through Eglot or through lsp-mode:
;;
;;   (require 'json-repair)
;;   (json-repair-setup 'eglot)  ; or 'lsp-mode
;;
;; `json-repair-fix-all' repairs the buffer if that makes it valid and nothing about it is
;; doubtful; with `json-repair-on-save' every save does that first.

;;; Code:

(require 'cl-lib)

(defgroup json-repair nil
  "JSON repaired by json-repair-lsp."
  :group 'tools)

(defcustom json-repair-command '("json-repair-lsp" "--stdio")
  "The server: the program and its arguments."
  :type '(repeat string))

(defcustom json-repair-settings nil
  "The server's settings as a property list, lists in it as vectors.
For example (:diagnostics.severity \"warning\" :rules [\"close_truncated\"]).
`:onSave' is not looked at; see `json-repair-on-save'."
  :type 'plist)

(defcustom json-repair-on-save nil
  "Whether to repair a JSON buffer when it is saved."
  :type 'boolean
  :safe #'booleanp)

;; Emacs 28 opens .json files as JavaScript, and .jsonc files and JSON Lines as plain text.
(define-derived-mode json-repair-json-mode js-mode "JSON")
(define-derived-mode json-repair-jsonc-mode js-mode "JSONC")
(define-derived-mode json-repair-jsonl-mode js-mode "JSONL")
(unless (or (fboundp 'js-json-mode) (fboundp 'json-ts-mode) (fboundp 'json-mode))
  (add-to-list 'auto-mode-alist '("\\.json\\'" . json-repair-json-mode)))
(unless (assoc-default "a.jsonc" auto-mode-alist #'string-match)
  (add-to-list 'auto-mode-alist '("\\.jsonc\\'" . json-repair-jsonc-mode)))
(dolist (name '("a.jsonl" "a.ndjson"))
  (unless (assoc-default name auto-mode-alist #'string-match)
    (add-to-list 'auto-mode-alist '("\\.\\(?:jsonl\\|ndjson\\)\\'" . json-repair-jsonl-mode))))

(defconst json-repair--languages
  '(("json" js-json-mode json-ts-mode json-mode json-repair-json-mode)
    ("jsonc" jsonc-mode json-repair-jsonc-mode)
    ("jsonl" json-repair-jsonl-mode))
  "Language identifiers, each with the major modes of it.")

(defconst json-repair--kind "source.fixAll.jsonRepair")

(defun json-repair--options ()
  "The settings for the server.
Its own repair on save stays off: Eglot 1.9 asks for that before it has sent
the last change, and applies the answer to the newer text."
  ;; The first of two equal properties counts.
  (append '(:onSave :json-false) json-repair-settings))

(defun json-repair-fix-all ()
  "Repair the buffer, if the result is valid and no edit is doubtful.
Return whether there was something to do."
  (interactive)
  (let ((done
         (cond
          ((bound-and-true-p eglot--managed-mode)
           ;; These requests are preceded by the changes that were not sent yet.
           (when (eglot-code-actions (point-min) (point-max) json-repair--kind)
             (eglot-code-actions (point-min) (point-max) json-repair--kind t)
             t))
          ((bound-and-true-p lsp-managed-mode)
           (condition-case nil
               (progn (lsp-execute-code-action-by-kind json-repair--kind) t)
             (lsp-no-code-actions nil)))
          (t (user-error "No json-repair-lsp serves this buffer")))))
    (when (called-interactively-p 'interactive)
      (message (if done "Repaired" "Nothing to repair without being asked")))
    done))

(defun json-repair--before-save ()
  "Repair the buffer if it is to be repaired on save."
  (when (and json-repair-on-save
             (or (bound-and-true-p eglot--managed-mode) (bound-and-true-p lsp-managed-mode)))
    (with-demoted-errors "json-repair: %S"
      (json-repair-fix-all))))

(declare-function eglot-ensure "eglot")
(declare-function eglot-code-actions "eglot")
(declare-function lsp-deferred "lsp-mode")
(declare-function lsp-execute-code-action-by-kind "lsp-mode")
(declare-function lsp-register-client "lsp-mode")
(declare-function lsp-activate-on "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-get "lsp-protocol")
(declare-function lsp-workspaces "lsp-mode")
(declare-function lsp--workspace-server-capabilities "lsp-mode")

(defun json-repair--start (start)
  "Have the buffer served by calling START, if the server is there."
  (if (not (executable-find (car json-repair-command)))
      (message "json-repair: no %s on `exec-path'; see `json-repair-command'"
               (car json-repair-command))
    (add-hook 'before-save-hook #'json-repair--before-save nil t)
    (funcall start)))

(defun json-repair--start-eglot ()
  "Have the buffer served through Eglot."
  (json-repair--start #'eglot-ensure))

(defvar-local json-repair--lsp-mode nil
  "Whether the buffer is served through lsp-mode.")

(defun json-repair--start-lsp-mode ()
  "Have the buffer served through lsp-mode."
  (setq json-repair--lsp-mode t)
  (json-repair--start #'lsp-deferred))

;; lsp-mode counts characters where the protocol counts UTF-16 code units.  Behind a character that
;; is two units, such as 🙂, it would change the wrong place, so its counting is put right where
;; this server is at work.

(defun json-repair--utf-16-p ()
  "Whether the buffer's positions are in UTF-16 code units."
  (and json-repair--lsp-mode
       (not (bound-and-true-p lsp--virtual-buffer))
       (not (cl-some (lambda (workspace)
                       (equal (lsp-get (lsp--workspace-server-capabilities workspace)
                                       :positionEncoding)
                              "utf-32"))
                     (lsp-workspaces)))))

(defun json-repair--cur-position (position)
  "Return POSITION, that of point, in UTF-16 code units."
  (when (json-repair--utf-16-p)
    (save-excursion
      (save-restriction
        (widen)
        (let ((end (point))
              (character (plist-get position :character)))
          (forward-line 0)
          (while (re-search-forward "[\U00010000-\U0010FFFF]" end t)
            (setq character (1+ character)))
          (setq position (plist-put position :character character))))))
  position)

(defun json-repair--line-character-to-point (original line character)
  "Return the point at CHARACTER of LINE, both as the server counts.
ORIGINAL counts characters."
  (if (not (json-repair--utf-16-p))
      (funcall original line character)
    (save-excursion
      (save-restriction
        (widen)
        (goto-char (point-min))
        (forward-line line)
        (while (and (> character 0) (not (eolp)))
          (setq character (- character (if (> (char-after) #xFFFF) 2 1)))
          (forward-char))
        (point)))))

(defun json-repair--adjust-lsp-mode ()
  "Have lsp-mode count as the server does."
  (unless (and (fboundp 'lsp--cur-position) (fboundp 'lsp--line-character-to-point))
    (error "This version of lsp-mode is not known to json-repair"))
  (advice-add 'lsp--cur-position :filter-return #'json-repair--cur-position)
  (advice-add 'lsp--line-character-to-point :around #'json-repair--line-character-to-point))

(defun json-repair--contact (&rest _)
  "What Eglot needs to start the server."
  (append json-repair-command (list :initializationOptions (json-repair--options))))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (dolist (language json-repair--languages)
    (add-to-list 'eglot-server-programs
                 (cons (mapcar (lambda (mode) (list mode :language-id (car language)))
                               (cdr language))
                       #'json-repair--contact))))

(defvar lsp-language-id-configuration)
(with-eval-after-load 'lsp-mode
  (dolist (language json-repair--languages)
    (dolist (mode (cdr language))
      (add-to-list 'lsp-language-id-configuration (cons mode (car language)) t)))
  (lsp-register-client
   (make-lsp-client
    :server-id 'json-repair
    :add-on? t                          ; beside a server that knows schemas
    :new-connection (lsp-stdio-connection (lambda () json-repair-command))
    :activation-fn (lsp-activate-on "json" "jsonc" "jsonl")
    :initialization-options #'json-repair--options)))

;;;###autoload
(defun json-repair-setup (client)
  "Have JSON buffers served through CLIENT: `eglot' or `lsp-mode'."
  (let ((start (pcase client
                 ('eglot #'json-repair--start-eglot)
                 ('lsp-mode #'json-repair--start-lsp-mode)
                 (_ (user-error "Neither eglot nor lsp-mode: %S" client)))))
    (require client)
    (when (eq client 'lsp-mode)
      (json-repair--adjust-lsp-mode))
    (dolist (language json-repair--languages)
      (dolist (mode (cdr language))
        (add-hook (intern (format "%s-hook" mode)) start)))))

(provide 'json-repair)
;;; json-repair.el ends here
