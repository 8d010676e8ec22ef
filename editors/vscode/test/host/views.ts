// The preview, the edit log and the language status item.

import assert from "node:assert/strict";

import * as vscode from "vscode";

import { api, codes, open, set, type, until } from "./workbench";

const visible = (scheme: string) =>
  vscode.window.visibleTextEditors.map(({ document }) => document).find(({ uri }) => uri.scheme === scheme);

const statusIs = async (expected: string | RegExp) => {
  const { status } = await api();
  const matches = () =>
    typeof expected === "string" ? status.text === expected : expected.test(status.text);
  await until(`status ${expected}`, matches).catch(() => assert.equal(status.text, String(expected)));
};

export const tests = {
  async "the preview is a diff against the repair, and keeps up"() {
    const document = await open("preview.json", '{"a": [1,], // b\n');
    await vscode.commands.executeCommand("jsonRepair.previewRepair");
    const preview = await until("the preview", () => visible("json-repair-preview"));
    assert.equal(preview.getText(), '{"a": [1] }\n');
    assert.equal(preview.languageId, "json");
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    assert.ok(tab?.input instanceof vscode.TabInputTextDiff, "a diff editor is open");
    assert.equal(tab.input.original.toString(), document.uri.toString());
    assert.equal(tab.label, "preview.json ↔ repaired");
    await type(document, 8, ", 2");
    await type(document, 11, ", 3");
    await until("the preview to keep up", () => preview.getText() === '{"a": [1, 2, 3] }\n').catch(() =>
      assert.equal(preview.getText(), '{"a": [1, 2, 3] }\n'),
    );
    // The command works from the preview, too.
    await vscode.commands.executeCommand("jsonRepair.repairDocument", preview.uri);
    await until("the repair", () => document.getText() === preview.getText());
  },

  async "an untitled document has a preview"() {
    const document = await vscode.workspace.openTextDocument({ language: "json", content: "[1,]" });
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("jsonRepair.previewRepair");
    const preview = await until("the preview", () => visible("json-repair-preview"));
    assert.equal(preview.getText(), "[1]");
    assert.equal(preview.languageId, "json");
  },

  async "the edit log lists every edit and leads to its place"() {
    const document = await open("log.json", '{\n  "a": [1,], // b\n  "c": "d\n');
    await vscode.commands.executeCommand("jsonRepair.showEditLog");
    const log = await until("the log", () => visible("json-repair-log"));
    assert.deepEqual(log.getText().split("\n"), [
      "3 edits would make log.json valid JSON.",
      "",
      '2:10  remove_trailing_commas  - ","',
      '2:14  remove_comments         - "// b"',
      '3:10  close_truncated         + "\\"}"',
      "",
    ]);
    const links = await until("links", async () => {
      const found = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
        "vscode.executeLinkProvider",
        log.uri,
      );
      return found.length === 3 && found;
    });
    const target = links[1]?.target;
    assert.ok(target);
    const [, query] = [target.path, JSON.parse(target.query) as unknown[]];
    await vscode.commands.executeCommand(target.path, ...query);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document, document);
    assert.equal(document.getText(editor.selection), "// b");
    await type(document, 0, "\n");
    await until("the log to keep up", () => log.getText().includes("\n3:10  remove_trailing_commas"));
  },

  async "JSON Lines have a preview, a log and a status, by line"() {
    const document = await open("views.jsonl", '[1,]\n{"a": 1}\n[2 3,]\n');
    await statusIs(/^Stopped at 3:4: [^(]+$/);
    await vscode.commands.executeCommand("jsonRepair.previewRepair");
    const preview = await until("the preview", () => visible("json-repair-preview"));
    assert.equal(preview.getText(), '[1]\n{"a": 1}\n[2 3]\n');
    assert.equal(preview.languageId, "jsonl");
    await vscode.commands.executeCommand("jsonRepair.showEditLog", document.uri);
    const log = await until("the log", () => visible("json-repair-log"));
    assert.deepEqual(log.getText().split("\n"), [
      "2 edits in 2 lines would not be enough to make views.jsonl JSON Lines.",
      "",
      "Line 1: 1 edit would make it valid",
      '1:3  remove_trailing_commas  - ","',
      "",
      "Line 3: 1 edit would not be enough",
      '3:5  remove_trailing_commas  - ","',
      "3:4  json_error              ! unexpected character",
      "",
    ]);
    await vscode.window.showTextDocument(document);
    await type(document, document.getText().indexOf(" 3"), ",");
    await statusIs("2 edits in 2 lines would make it valid");
    await until("the log to keep up", () => log.getText().startsWith("2 edits in 2 lines would make"));
    await vscode.commands.executeCommand("jsonRepair.repairDocument");
    await statusIs("Valid JSON Lines");
  },

  async "the status item says how the document stands"() {
    const document = await open("status.json", "[1]");
    await statusIs("Valid JSON");
    await type(document, 2, ",");
    await statusIs("1 edit would make it valid");
    await type(document, 3, ",");
    await statusIs(/^Stopped at 1:5: [^(]+$/);
    await set("jsonRepair.rules", []);
    await statusIs(/^Stopped at 1:4: [^(]+$/);
    await open("empty.json", "\n");
    await statusIs("Nothing to check");
  },

  async "it does so without diagnostics, too"() {
    await set("jsonRepair.diagnostics.enable", false);
    const document = await open("quiet.json", "[1,]]");
    await codes(document, []);
    await statusIs("Stopped at 1:5: trailing content");
  },
};
