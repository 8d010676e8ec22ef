// The light bulb, and the commands that repair.

import assert from "node:assert/strict";

import * as vscode from "vscode";

import { actions, api, codes, messages, open, until } from "./workbench";

const TEXT = '{\n  // one\n  "a": [1, 2,], // two\n  "b": "cut,\n';
const everywhere = (document: vscode.TextDocument) =>
  document.validateRange(new vscode.Range(0, 0, Number.MAX_SAFE_INTEGER, 0));

/** What a text becomes by each of its quick fixes. */
async function fixes(name: string, text: string): Promise<Record<string, string>> {
  const results: Record<string, string> = {};
  const document = await open(name, text);
  await until("diagnostics", () => vscode.languages.getDiagnostics(document.uri).length);
  const offered = await actions(document, everywhere(document), "quickfix");
  for (const { title, edit } of offered) {
    assert.ok(edit, `${title} has an edit`);
    assert.ok(await vscode.workspace.applyEdit(edit), title);
    // What a title adds about a fix is the server's to word.
    results[title.replace(/(`);.*$/, "$1")] = document.getText();
    await vscode.commands.executeCommand("undo");
    await until(`${title} to be undone`, () => document.getText() === text);
    // A versioned edit is for this version only: ask again.
    const again = await actions(document, everywhere(document), "quickfix");
    assert.deepEqual(
      again.map(action => action.title),
      offered.map(action => action.title),
    );
    for (const action of again) {
      const other = offered.find(({ title }) => title === action.title);
      if (other && action.edit) other.edit = action.edit;
    }
  }
  return results;
}

export const tests = {
  async "each quick fix does what it says"() {
    const results = await fixes("fixes.json", '{\n  "a": [1, 2,], // two\n  /* one */ "b": "cut,\n');
    assert.deepEqual(results, {
      "Remove trailing comma": '{\n  "a": [1, 2], // two\n  /* one */ "b": "cut,\n',
      "Remove comment": '{\n  "a": [1, 2,], // two\n   "b": "cut,\n',
      "Remove all 2 comments": '{\n  "a": [1, 2,], \n   "b": "cut,\n',
      'Close truncated JSON with `"}`': '{\n  "a": [1, 2,], // two\n  /* one */ "b": "cut,"}\n',
      "Repair JSON: 4 edits": '{\n  "a": [1, 2], \n   "b": "cut,"}\n',
    });
  },

  async "many commas have a fix of their own"() {
    const results = await fixes("commas.json", "[[1,],]\n");
    assert.equal(results["Remove all 2 trailing commas"], "[[1]]\n");
  },

  async "the quick fix of a place comes first and is preferred"() {
    const document = await open("preferred.json", "[1,]");
    const [comma] = await codes(document, ["remove_trailing_commas"]);
    assert.ok(comma);
    const [first] = await actions(document, comma.range, "quickfix");
    assert.equal(first?.title, "Remove trailing comma");
    assert.equal(first.isPreferred, true);
  },

  async "JSON with comments is made strict on demand only"() {
    const document = await open("strict.jsonc", "[1, /* a */]\n");
    const offered = await until("the conversion", async () => {
      const found = await actions(document, everywhere(document), "refactor.rewrite");
      return found.find(({ title }) => title === "Convert to strict JSON");
    });
    assert.ok(offered.edit && (await vscode.workspace.applyEdit(offered.edit)));
    assert.equal(document.getText(), "[1 ]\n");
  },

  async "a line of JSON Lines is repaired by itself"() {
    const document = await open("lines.jsonl", '[1,]\n{"a": [1,], // b\n');
    await until("diagnostics", () => vscode.languages.getDiagnostics(document.uri).length);
    const offered = await actions(document, document.lineAt(1).range, "quickfix");
    const line = offered.find(({ title }) => title === "Repair this line: 4 edits");
    assert.ok(line?.edit, offered.map(({ title }) => title).join(", "));
    assert.ok(await vscode.workspace.applyEdit(line.edit));
    assert.equal(document.getText(), '[1,]\n{"a": [1] }\n');
    await vscode.commands.executeCommand("jsonRepair.repairDocument");
    await until("the repair", () => document.getText() === '[1]\n{"a": [1] }\n');
  },

  async "Repair Document makes the whole repair"() {
    const document = await open("repair.json", TEXT);
    await vscode.commands.executeCommand("jsonRepair.repairDocument");
    await until("the repair", () => document.getText() === '{\n  \n  "a": [1, 2], \n  "b": "cut,"}\n');
    await vscode.commands.executeCommand("undo");
    await until("one undo for all of it", () => document.getText() === TEXT);
  },

  async "Repair Document says when the result is still not JSON"() {
    const document = await open("stopped.json", "[1,]\n[2,]\n");
    await codes(document, ["trailing_content", "remove_trailing_commas", "remove_trailing_commas"]);
    await messages("showWarningMessage", undefined, async shown => {
      await vscode.commands.executeCommand("jsonRepair.repairDocument");
      await until("the repair", () => document.getText() === "[1]\n[2]\n");
      const { text } = await until("the warning", () => shown[0]);
      assert.match(text, /^Repaired: 2 edits, but still not JSON: \S/);
    });
  },

  async "Copy Repaired Text leaves the document alone"() {
    const document = await open("copy.json", TEXT);
    await vscode.commands.executeCommand("jsonRepair.copyRepairedText");
    assert.equal(await vscode.env.clipboard.readText(), '{\n  \n  "a": [1, 2], \n  "b": "cut,"}\n');
    assert.equal(document.getText(), TEXT);
    assert.equal(document.isDirty, false);
  },

  async "a command on no JSON document says so"() {
    await api();
    await open("notes.txt", "[1,]");
    await messages("showInformationMessage", undefined, async shown => {
      await vscode.commands.executeCommand("jsonRepair.repairDocument");
      assert.match(shown[0]?.text ?? "", /works on JSON documents/);
    });
  },

  async "the server's own commands are there for other extensions"() {
    await api();
    const request = { text: "[1,]", rules: ["remove_trailing_commas"] };
    const response = await vscode.commands.executeCommand("jsonRepair.execute", request);
    assert.equal((response as { text: string }).text, "[1]");
  },
};
