// The page that explains the defects comes with the extension: the codes of the
// server's diagnostics lead to its sections.

import { readFileSync } from "node:fs";
import { type Diagnostic, Uri } from "vscode";

const OUR_SCHEME = "json-repair-defects";
/** What the server takes for the page's URL, where a person has set none. */
export const OUR_PAGE = `${OUR_SCHEME}:page`;

/** The page, and where its sections begin. */
export class DefectPage {
  readonly #uri: Uri;
  readonly #lineOf = new Map<string, number>();

  constructor(extensionFolder: Uri) {
    this.#uri = Uri.joinPath(extensionFolder, "defects.md");
    for (const [index, line] of readFileSync(this.#uri.fsPath, "utf8").split("\n").entries()) {
      if (line.startsWith("## ")) this.#lineOf.set(line.slice(3).trim(), index + 1);
    }
  }

  /** Has the codes that lead to our page open it. */
  linked(diagnostics: Diagnostic[]): Diagnostic[] {
    for (const diagnostic of diagnostics) {
      const { code } = diagnostic;
      if (typeof code !== "object" || code.target.scheme !== OUR_SCHEME) continue;
      // A code's link cannot be a command; a line is what VS Code opens a text at.
      const line = this.#lineOf.get(code.target.fragment) ?? 1;
      diagnostic.code = { value: code.value, target: this.#uri.with({ fragment: `L${line}` }) };
    }
    return diagnostics;
  }
}

/** A diagnostic's code by itself, without where it leads. */
export function codeOf({ code }: Diagnostic): string | number | undefined {
  return typeof code === "object" ? code.value : code;
}
