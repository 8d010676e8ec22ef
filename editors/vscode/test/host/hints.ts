// What is shown of a repair in the text, and what VS Code asks for besides.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import * as vscode from "vscode";

import { api, codes, fileUri, open, ours, pause, set, until } from "./workbench";

const TEXT = '{"é😀": [1, 2,], // two\n"cut": "half\n';

/** What VS Code's own command of a provider answers on a document. */
function ask<Answer>(provider: string, { uri }: vscode.TextDocument, ...more: unknown[]): Thenable<Answer> {
  return vscode.commands.executeCommand<Answer>(`vscode.execute${provider}Provider`, uri, ...more);
}

async function hoverAt(document: vscode.TextDocument, place: string): Promise<string> {
  const position = document.positionAt(document.getText().indexOf(place));
  const hovers = await ask<vscode.Hover[]>("Hover", document, position);
  return hovers
    .flatMap(({ contents }) => contents.map(part => (part as vscode.MarkdownString).value))
    .join("\n");
}

const wholeFile = new vscode.Range(0, 0, 1000, 0);
const inlayHints = async (document: vscode.TextDocument) =>
  (await ask<vscode.InlayHint[]>("InlayHint", document, wholeFile)).map(
    ({ label, position }) => `${position.line}:${position.character} ${String(label)}`,
  );
const lensesOf = async (document: vscode.TextDocument) =>
  (await ask<vscode.CodeLens[]>("CodeLens", document, 10)).flatMap(({ command }) => command ?? []);

/** The environment variable that makes a server slow that is built for debugging. */
const SLOW = "JSON_REPAIR_LSP_DEBUG_PASS_STEP";

/** Starts a server that takes so many milliseconds for 32 KiB. */
async function slowServer(milliseconds: number): Promise<void> {
  const { server } = await api();
  const wrapper = fileUri(`slow-${milliseconds}`).fsPath;
  writeFileSync(wrapper, `#!/bin/sh\n${SLOW}=${milliseconds} exec '${serverPath()}' "$@"\n`, { mode: 0o755 });
  await set("jsonRepair.server.path", wrapper);
  await until("the slow server", () => server.state.kind === "running");
}

function serverPath(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const path = folders.map(folder => join(folder, "json-repair-lsp")).find(path => existsSync(path));
  assert.ok(path, "the server is on the PATH");
  return path;
}

/** A progress that VS Code was asked to show. */
interface Shown {
  readonly title: string | undefined;
  readonly isCancellable: boolean | undefined;
  readonly increments: number[];
  readonly cancellation: vscode.CancellationTokenSource;
  hasEnded: boolean;
}

/** Tells which progress the extension shows while `during` runs. */
async function progress(during: (shown: Shown[]) => Promise<void>): Promise<void> {
  const all: Shown[] = [];
  const window = vscode.window as unknown as Record<string, unknown>;
  const original = window["withProgress"];
  const stub: typeof vscode.window.withProgress = async ({ title, cancellable }, task) => {
    const cancellation = new vscode.CancellationTokenSource();
    const shown: Shown = { title, isCancellable: cancellable, increments: [], cancellation, hasEnded: false };
    all.push(shown);
    try {
      const report = ({ increment }: { increment?: number }) => void shown.increments.push(increment ?? 0);
      return await task({ report }, cancellation.token);
    } finally {
      shown.hasEnded = true;
    }
  };
  window["withProgress"] = stub;
  try {
    await during(all);
  } finally {
    window["withProgress"] = original;
  }
}

export const tests = {
  async "hovering over an edit shows it"() {
    const document = await open("hover.json", TEXT);
    await codes(document, ["close_truncated", "remove_trailing_commas", "remove_comments"]);
    const comma = await until("the hover", async () => {
      const shown = await hoverAt(document, ",]");
      return shown.includes("remove_trailing_commas") && shown;
    });
    assert.ok(comma.includes('-{"é😀": [1, 2,], // two\n+{"é😀": [1, 2], // two'), comma);
    assert.match(await hoverAt(document, "half"), /close_truncated[^]*\+"cut": "half"\}/);
    assert.doesNotMatch(await hoverAt(document, "1, 2"), /remove_/);
    await set("jsonRepair.hover.enable", false);
    await until("no hover", async () => !(await hoverAt(document, ",]")).includes("remove_trailing_commas"));
  },

  async "an inlay hint closes a cut text, once turned on"() {
    const document = await open("cut.json", TEXT);
    await codes(document, ["close_truncated", "remove_trailing_commas", "remove_comments"]);
    assert.deepEqual(await inlayHints(document), []);
    await set("jsonRepair.inlayHint.enable", true);
    await until("the hint", async () => String(await inlayHints(document)) === '1:12 "}');
    const lines = await open("cut.jsonl", '[1\n{}\n{"a": "b\n');
    await until("a hint at each cut line", async () => String(await inlayHints(lines)) === '0:2 ],2:8 "}');
  },

  async "the code lens makes the repair, once turned on"() {
    const document = await open("lens.json", TEXT);
    await codes(document, ["close_truncated", "remove_trailing_commas", "remove_comments"]);
    assert.deepEqual(await lensesOf(document), []);
    await set("jsonRepair.codeLens.enable", true);
    const [lens] = await until("the lens", async () => {
      const found = await lensesOf(document);
      return found.length > 0 && found;
    });
    assert.equal(lens?.title, "Repair JSON: 3 edits");
    await vscode.commands.executeCommand(lens.command, ...(lens.arguments ?? []));
    await until("the repair", () => document.getText() === '{"é😀": [1, 2], \n"cut": "half"}\n');
    await until("the lens to go", async () => (await lensesOf(document)).length === 0);
    const lines = await open("lens.jsonl", "[1,]\n[2 3,]\n");
    await until("the lens of JSON Lines", async () => (await lensesOf(lines)).length > 0);
    assert.equal((await lensesOf(lines))[0]?.title, "Repair JSON: 2 edits (still not valid)");
  },

  async "broken text has folds, selections and symbols, once turned on"() {
    // VS Code has its own for JSON, but none for JSON Lines.
    const document = await open("broken.jsonl", '{"a": [tru, {"b": 1}], "c"\n');
    await until("diagnostics", () => ours(document).length);
    const symbols = async () => {
      const found = await ask<vscode.DocumentSymbol[] | undefined>("DocumentSymbol", document);
      const names = (list: vscode.DocumentSymbol[]): string =>
        list.map(({ name, children }) => (children.length ? `${name}(${names(children)})` : name)).join(" ");
      return names(found ?? []);
    };
    const selections = async () => {
      const found = await ask<vscode.SelectionRange[]>("SelectionRange", document, [
        new vscode.Position(0, 19),
      ]);
      const texts: string[] = [];
      for (let range = found[0]; range; range = range.parent) texts.push(document.getText(range.range));
      return texts;
    };
    assert.equal(await symbols(), "");
    await set("jsonRepair.documentSymbol.enable", true);
    await until("symbols", async () => (await symbols()) === "1(a(0 1(b)) c)");
    await set("jsonRepair.selectionRange.enable", true);
    await until("selections", async () => (await selections()).includes('{"b": 1}'));
    const folded = await open("folds.jsonc", "// one\n// two\n[\n1,\n2\n");
    await set("jsonRepair.foldingRange.enable", true);
    const folds = async () =>
      (await ask<vscode.FoldingRange[]>("FoldingRange", folded))
        .map(({ start, end }) => `${start}-${end}`)
        .join();
    await until("folds", async () => (await folds()) === "0-1,2-4");
  },

  async "diagnostics are the same where VS Code asks for them"() {
    const document = await open("pull.json", "[1,] // a\n");
    const expected = ["remove_trailing_commas", "remove_comments"];
    await codes(document, expected);
    await set("jsonRepair.diagnostics.pull", true);
    await pause(500);
    await codes(document, expected);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 1), "0,,");
    await vscode.workspace.applyEdit(edit);
    await codes(document, ["unexpected_character", ...expected]);
    await set("jsonRepair.diagnostics.pull", false);
    await pause(500);
    await codes(document, ["unexpected_character", ...expected]);
    assert.equal(ours(document).length, 3);
  },

  async "a first pass that takes long is shown, and can be cancelled"() {
    if (!readFileSync(serverPath()).includes(SLOW)) {
      console.log("not run - progress inside VS Code: the server is no build for debugging");
      return;
    }
    await slowServer(60);
    const { server, status } = await api();
    const text = `[${"1, ".repeat(350_000)}1,]\n`;
    await progress(async all => {
      const document = await open("big.json", text);
      await until("the end", () => all[0]?.hasEnded);
      const [shown] = all;
      assert.deepEqual([shown?.title, shown?.isCancellable], ["Reading big.json", true]);
      assert.ok(
        (shown?.increments.filter(increment => increment > 0).length ?? 0) > 2,
        String(shown?.increments),
      );
      await codes(document, ["remove_trailing_commas"]);
    });
    await progress(async all => {
      const document = await open("bigger.json", text);
      const shown = await until("the beginning", () => all[0]);
      const report = server.report(document);
      report.catch(() => {});
      await until("the status", () => status.text === "Reading");
      shown.cancellation.cancel();
      await until("the end", () => shown.hasEnded);
      await until("the status", () => status.text === "Not checked");
      await assert.rejects(report, /cancelled/);
      await codes(document, ["not_read"]);
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(0, 1, 1, 0), "1,]");
      await vscode.workspace.applyEdit(edit);
      await codes(document, ["remove_trailing_commas"]);
      await until("the status", () => status.text === "1 edit would make it valid");
    });
    await set("jsonRepair.server.path", undefined);
    await until("the server", () => server.state.kind === "running");
  },
};
