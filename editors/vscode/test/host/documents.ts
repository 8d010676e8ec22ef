// What is reported, and in which documents.

import assert from "node:assert/strict";

import * as vscode from "vscode";

import { codes, extension, messages, open, ours, pause, set, type, until } from "./workbench";

const shape = ({ message, range }: vscode.Diagnostic) => [message, range.start.line, range.start.character];

export const tests = {
  async "the extension starts with the first JSON document"() {
    const document = await open("first.json", '{\n  "a": [1, 2,],\n}\n');
    const diagnostics = await codes(document, ["remove_trailing_commas", "remove_trailing_commas"]);
    assert.ok(extension().isActive);
    assert.deepEqual(diagnostics.map(shape), [
      ["JSON has no trailing commas", 1, 12],
      ["JSON has no trailing commas", 1, 14],
    ]);
    assert.deepEqual(diagnostics[0]?.tags, [vscode.DiagnosticTag.Unnecessary]);
  },

  async "places count as VS Code counts them"() {
    const document = await open("wide.json", '["😀é", 1,] // 😀\r\n');
    const [comma] = await codes(document, ["remove_trailing_commas", "remove_comments"]);
    assert.equal(comma?.range.start.character, 9);
  },

  async "a cut text points at its openers"() {
    const document = await open("cut.json", '{"a": ["b\n');
    const [closing] = await codes(document, ["close_truncated"]);
    assert.equal(closing?.relatedInformation?.length, 3);
  },

  async "untitled documents are checked"() {
    const document = await vscode.workspace.openTextDocument({ language: "json", content: "[1,]" });
    await vscode.window.showTextDocument(document);
    await codes(document, ["remove_trailing_commas"]);
  },

  async "JSON with comments is left alone"() {
    const text = '// a\n{ "compilerOptions": { "strict": true, }, /* b */ }\n';
    const plain = await open("after.json", "[1,]");
    for (const name of ["tsconfig.json", "deep/.vscode/settings.json", "a.jsonc"]) {
      const document = await open(name, text);
      // The other document's diagnostics come later than this one's would.
      await codes(plain, ["remove_trailing_commas"]);
      await pause(300);
      assert.deepEqual(ours(document), [], name);
    }
    const cut = await open("cut.jsonc", "[1, // a\n");
    await codes(cut, ["close_truncated"]);
  },

  async "each line of JSON Lines is checked by itself"() {
    for (const name of ["log.jsonl", "log.ndjson", "log.jsonlines"]) {
      const document = await open(name, '{"a": 1,}\n\n{"b": 2}\n{"é😀": Tru, "c": "d\n');
      assert.equal(document.languageId, "jsonl");
      const found = await codes(document, [
        "remove_trailing_commas",
        "unexpected_character",
        "close_truncated",
      ]);
      assert.deepEqual(
        found.map(({ range }) => [range.start.line, range.start.character]),
        [
          [0, 7],
          [3, 8],
          [3, 18],
        ],
      );
      await type(document, document.getText().indexOf("Tru"), '"x", "y": 1}\n{"z": ');
      await until("the new line", () => ours(document)[1]?.range.start.line === 4);
      await codes(document, ["remove_trailing_commas", "unexpected_character", "close_truncated"]);
    }
  },

  async "a changed setting changes what is reported"() {
    const document = await open("lowered.json", "[1,] // a");
    await codes(document, ["remove_trailing_commas", "remove_comments"]);
    await set("jsonRepair.diagnostics.severity", "hint");
    await until("a lower severity", () => {
      return ours(document).every(({ severity }) => severity === vscode.DiagnosticSeverity.Hint);
    });
    await set("jsonRepair.rules", ["remove_comments"]);
    await codes(document, ["unexpected_character", "remove_comments"]);
    await set("jsonRepair.diagnostics.enable", false);
    await codes(document, []);
  },

  async "a code leads to the page on its defect"() {
    const document = await open("defect.json", "{'a': 1}");
    for (const isPulled of [false, true]) {
      await set("jsonRepair.diagnostics.pull", isPulled);
      await codes(document, ["unexpected_character"]);
      const target = await until("the link", () => {
        const [diagnostic] = ours(document);
        return typeof diagnostic?.code === "object" && diagnostic.code.target;
      });
      const page = await vscode.workspace.openTextDocument(target.with({ fragment: "" }));
      const [, line] = /^L(\d+)$/.exec(target.fragment) ?? [];
      assert.equal(page.lineAt(Number(line) - 1).text, "## single-quotes");
    }
    await set("jsonRepair.diagnostics.documentation", "https://docs.test/defects");
    await until("a person's own page", () => {
      const [diagnostic] = ours(document);
      return (
        typeof diagnostic?.code === "object" &&
        diagnostic.code.target.toString(true) === "https://docs.test/defects#single-quotes"
      );
    });
  },

  async "a double report is offered to be ended, once, and ended only then"() {
    const isValidating = () => vscode.workspace.getConfiguration("json").get<boolean>("validate.enable");
    await messages("showInformationMessage", "Turn Off for This Workspace", async shown => {
      await set("json.validate.enable", true);
      const document = await open("double.json", '{\n  "a": 1,\n}\n');
      const offer = await until("the offer", () => shown[0], 30_000);
      assert.deepEqual(offer.buttons, ["Turn Off for This Workspace", "Keep Both"]);
      await until("the choice to be made", () => !isValidating());
      const theirs = () =>
        vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === "json");
      await until("VS Code's own reports to go", () => theirs().length === 0);
      await set("json.validate.enable", true);
      await until("VS Code's own reports to come back", () => theirs().length > 0);
      await pause(200);
      assert.equal(shown.length, 1);
      assert.ok(isValidating());
    });
  },
};
