;;; harness.el --- what the cases share  -*- lexical-binding: t -*-

;; Batch mode does not do this by itself, and lsp-mode lives on its autoloads.
(package-activate-all)

(require 'json-repair)
(require 'find-func)
(require 'lisp-mnt)

;; Nothing is asked of a person here, and nothing is left beside a file.
(setq create-lockfiles nil
      make-backup-files nil
      auto-save-default nil
      require-final-newline nil
      use-dialog-box nil
      inhibit-message t)

(defvar t-fixtures (getenv "JSON_REPAIR_FIXTURES"))
(defvar t-scratch (getenv "TMPDIR"))

(defvar t-client)

(defun t-client (library)
  "Return the name of LIBRARY with its version."
  (format "%s %s" library (lm-version (find-library-name library))))

(defun t-say (format &rest arguments)
  "Print a line made of FORMAT and ARGUMENTS."
  (princ (concat (apply #'format format arguments) "\n")))

(defun t-wait (what condition)
  "Wait until CONDITION returns non-nil, and return that; WHAT names it."
  (let ((end (+ (float-time) 20)) value)
    (while (not (or (setq value (funcall condition)) (> (float-time) end)))
      (accept-process-output nil 0.02))
    (or value (error "Waited in vain: %s" what))))

(defun t-is (actual expected)
  "Fail unless ACTUAL equals EXPECTED."
  (unless (equal actual expected)
    (error "Expected %S, got %S" expected actual)))

(defun t-file (name)
  "Return the text of the file NAME."
  (with-temp-buffer
    (insert-file-contents name)
    (buffer-string)))

(defun t-fixture (name)
  "Return the text of the fixture NAME."
  (t-file (expand-file-name name t-fixtures)))

(defun t-text ()
  "Return the text of the buffer."
  (buffer-substring-no-properties (point-min) (point-max)))

(defun t-open-text (name text)
  "Open a new file NAME that holds TEXT."
  (let* ((directory (make-temp-file (expand-file-name "case" t-scratch) t))
         (file (expand-file-name name directory)))
    (make-directory (file-name-directory file) t)
    (with-temp-file file (insert text))
    (switch-to-buffer (find-file-noselect file))))

(defun t-open (name)
  "Open a copy of the fixture NAME."
  (t-open-text name (t-fixture name)))

(defun t-close ()
  "Close the buffer, changed or not."
  (set-buffer-modified-p nil)
  (kill-buffer))

(defmacro t-test (name &rest body)
  "Run BODY as the test NAME."
  (declare (indent 1))
  `(let ((buffers (buffer-list)))
     (condition-case failure
         (progn ,@body (t-say "ok - emacs %s: %s" t-client ,name))
       (error (t-say "not ok - emacs %s: %s: %s" t-client ,name
                     (error-message-string failure))))
     (dolist (buffer (buffer-list))
       (when (and (buffer-file-name buffer) (not (memq buffer buffers)))
         (with-current-buffer buffer (t-close))))))

(provide 'harness)
;;; harness.el ends here
