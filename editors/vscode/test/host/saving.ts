// What happens when a document is saved or formatted.

import assert from "node:assert/strict";

import * as vscode from "vscode";

import { EXTENSION, actions, codes, onDisk, open, pause, set, type, until } from "./workbench";

const wholeFile = new vscode.Range(0, 0, 0, 0);

/** Changes a document, so that there is something to save, and saves it. */
async function saved(document: vscode.TextDocument): Promise<string> {
  await type(document, 0, " ");
  // On a busy machine VS Code answers before it is done.
  if (!(await document.save())) await until("the save", () => !document.isDirty);
  return onDisk(document);
}

/**
 * Saves again until a save has the effect that is expected: a setting takes a
 * moment to arrive, and VS Code does not wait long for whoever edits on save.
 */
async function savedAs(document: vscode.TextDocument, expected: string): Promise<void> {
  const before = document.getText();
  await until(`${document.uri.path} to be saved as ${expected}`, async () => {
    const text = await saved(document);
    if (text.trimStart() === expected.trimStart()) return true;
    assert.equal(text.trimStart(), before.trimStart());
    return false;
  });
}

export const tests = {
  async "nothing is repaired on save by default"() {
    const document = await open("default.json", "[1,]\n");
    await codes(document, ["remove_trailing_commas"]);
    assert.equal(await saved(document), " [1,]\n");
  },

  async "fix-all on save under our own kind"() {
    await set("editor.codeActionsOnSave", { "source.fixAll.jsonRepair": "explicit" });
    const document = await open("own.json", "[1,] // a\n");
    await codes(document, ["remove_trailing_commas", "remove_comments"]);
    await savedAs(document, "[1] \n");
  },

  async "fix-all on save under the generic kind keeps comments"() {
    await set("editor.codeActionsOnSave", { "source.fixAll": "explicit" });
    const comma = await open("generic.json", "[1,]\n");
    await codes(comma, ["remove_trailing_commas"]);
    await savedAs(comma, "[1]\n");
    const comment = await open("generic-comment.json", "[1,] // a\n");
    await codes(comment, ["remove_trailing_commas", "remove_comments"]);
    assert.equal(await saved(comment), " [1,] // a\n");
  },

  async "fix-all is the whole repair or nothing"() {
    await set("editor.codeActionsOnSave", { "source.fixAll.jsonRepair": "explicit" });
    const doubtful = await open("doubtful.json", "[1,,]\n");
    await codes(doubtful, ["unexpected_character", "remove_trailing_commas"]);
    assert.equal(await saved(doubtful), " [1,,]\n");
    assert.deepEqual(await actions(doubtful, wholeFile, "source.fixAll.jsonRepair"), []);
  },

  async "onSave repairs a document that is saved by hand"() {
    await set("jsonRepair.onSave", true);
    const document = await open("on-save.json", '{"a": [1, 2,\n');
    await codes(document, ["close_truncated", "remove_trailing_commas"]);
    await savedAs(document, '{"a": [1, 2]}\n');
  },

  async "nothing is repaired while auto save runs"() {
    await set("jsonRepair.onSave", true);
    await set("editor.codeActionsOnSave", { "source.fixAll.jsonRepair": "explicit" });
    const warm = await open("warm.json", "[1,]\n");
    await codes(warm, ["remove_trailing_commas"]);
    await savedAs(warm, "[1]\n");
    await set("files.autoSaveDelay", 100);
    await set("files.autoSave", "afterDelay");
    const document = await open("auto.json", "[1,]\n");
    await codes(document, ["remove_trailing_commas"]);
    await type(document, 2, "2");
    await until("auto save", () => onDisk(document) === "[12,]\n");
    await pause(500);
    assert.equal(document.getText(), "[12,]\n");
  },

  async "JSON with comments is saved untouched"() {
    await set("jsonRepair.onSave", true);
    await set("editor.codeActionsOnSave", { "source.fixAll.jsonRepair": "explicit" });
    const warm = await open("warm-too.json", "[1,]\n");
    await codes(warm, ["remove_trailing_commas"]);
    await savedAs(warm, "[1]\n");
    const document = await open("jsconfig.json", '// a\n{ "include": [1,], }\n');
    assert.equal(await saved(document), ' // a\n{ "include": [1,], }\n');
  },

  async "there is no formatter conflict by default"() {
    const document = await open("format.json", '{"a":[1]}\n');
    // With two formatters VS Code would format nothing and ask.
    await until("VS Code's own formatter", async () => {
      await vscode.commands.executeCommand("editor.action.formatDocument");
      return document.getText().includes('\n    "a"');
    });
  },

  async "format on save, with us as the formatter"() {
    await set("jsonRepair.format.enable", true);
    await set("editor.formatOnSave", true);
    await set("[json]", { "editor.defaultFormatter": EXTENSION });
    const document = await open("formatted.json", '{"a":[1,], /* b */}\n');
    await codes(document, ["remove_trailing_commas", "remove_trailing_commas", "remove_comments"]);
    await savedAs(document, '{"a":[1] }\n');
  },

  async "lines of JSON Lines are saved repaired, but for those in doubt"() {
    await set("jsonRepair.onSave", true);
    const document = await open("on-save.jsonl", "[1,]\n[2,,]\n[3\n");
    await codes(document, [
      "remove_trailing_commas",
      "unexpected_character",
      "remove_trailing_commas",
      "close_truncated",
    ]);
    await savedAs(document, "[1]\n[2,,]\n[3]\n");
  },

  async "formatting repairs JSON Lines and never lays them out"() {
    await set("jsonRepair.format.enable", true);
    await set("jsonRepair.format.layout", "indent");
    const document = await open("layout.jsonl", '{"a":[1,2,],"b":{}}\n[1,2]\n');
    const expected = '{"a":[1,2],"b":{}}\n[1,2]\n';
    await until("the repair", async () => {
      await vscode.commands.executeCommand("editor.action.formatDocument");
      return document.getText() === expected;
    }).catch(() => assert.equal(document.getText(), expected));
  },

  async "formatting lays out where that is asked for"() {
    await set("jsonRepair.format.enable", true);
    await set("jsonRepair.format.layout", "indent");
    await set("jsonRepair.format.lineWidth", 20);
    await set("[json]", {
      "editor.defaultFormatter": EXTENSION,
      "editor.tabSize": 2,
      "editor.detectIndentation": false,
    });
    const document = await open("layout.json", '{"a":[1,2,],"b":{}}\n');
    const expected = '{\n  "a": [1, 2],\n  "b": {}\n}\n';
    await until("the layout", async () => {
      await vscode.commands.executeCommand("editor.action.formatDocument");
      return document.getText() === expected;
    }).catch(() => assert.equal(document.getText(), expected));
  },

  async "a layout keeps comments, and a selection has one too"() {
    await set("jsonRepair.format.enable", true);
    await set("jsonRepair.format.layout", "indent");
    const options = { "editor.tabSize": 2, "editor.detectIndentation": false };
    await set("[jsonc]", { "editor.defaultFormatter": EXTENSION, ...options });
    const document = await open("layout.jsonc", '{ // one\n"a":[1,2,], // two\n\n/* three */\n"b":{}}\n');
    const expected = '{ // one\n  "a": [1, 2,], // two\n\n  /* three */\n  "b": {}\n}\n';
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selection = new vscode.Selection(4, 0, 4, 4);
    await until("the layout of a selection", async () => {
      await vscode.commands.executeCommand("editor.action.formatSelection");
      return document.lineAt(4).text.startsWith('  "b": {}');
    });
    assert.equal(document.lineAt(1).text, '"a":[1,2,], // two');
    await vscode.commands.executeCommand("editor.action.formatDocument");
    assert.equal(document.getText(), expected);
  },

  async "formatting is off again with its setting"() {
    await set("jsonRepair.format.enable", true);
    const document = await open("format-off.json", "[1,]\n");
    const format = () =>
      vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
        "vscode.executeFormatDocumentProvider",
        document.uri,
        {
          tabSize: 2,
          insertSpaces: true,
        },
      );
    await set("[json]", { "editor.defaultFormatter": EXTENSION });
    await until("our edit", async () => (await format())?.length === 1);
    await set("jsonRepair.format.enable", false);
    await set("[json]", undefined);
    await until("VS Code's own edits", async () => ((await format())?.length ?? 0) > 1);
  },
};
