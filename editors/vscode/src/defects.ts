// The page that explains the defects comes with the extension: the codes of the
// server's diagnostics lead to its sections.

import { type Diagnostic, type Disposable, Uri, commands } from "vscode";

/** What the server takes for the page's URL, where a person has set none. */
export const OUR_PAGE = "json-repair-defects:page";
const OUR_SCHEME = "json-repair-defects";

/** The command behind a code; it takes the name of a defect. */
const EXPLAIN = "jsonRepair.explainDefect";

/** Registers the command that shows the page in `extensionFolder`. */
export function registerExplanation(extensionFolder: Uri): Disposable {
  const page = Uri.joinPath(extensionFolder, "defects.md");
  return commands.registerCommand(EXPLAIN, (defect: string) =>
    commands.executeCommand("markdown.showPreview", page.with({ fragment: defect })),
  );
}

/** Has the codes that lead to our page show it. */
export function linked(diagnostics: Diagnostic[]): Diagnostic[] {
  for (const diagnostic of diagnostics) {
    const { code } = diagnostic;
    if (typeof code !== "object" || code.target.scheme !== OUR_SCHEME) continue;
    const query = encodeURIComponent(JSON.stringify([code.target.fragment]));
    diagnostic.code = { value: code.value, target: Uri.parse(`command:${EXPLAIN}?${query}`) };
  }
  return diagnostics;
}

/** A diagnostic's code by itself, without where it leads. */
export function codeOf({ code }: Diagnostic): string | number | undefined {
  return typeof code === "object" ? code.value : code;
}
