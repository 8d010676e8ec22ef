// What the in-host tests do again and again.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

import * as vscode from "vscode";

import { codeOf } from "../../src/defects";
import type { Api } from "../../src/extension";

export const EXTENSION = "json-repair-lsp.json-repair-lsp";

export function extension(): vscode.Extension<Api> {
  const found = vscode.extensions.getExtension<Api>(EXTENSION);
  assert.ok(found, "the extension is installed");
  return found;
}

export function api(): Promise<Api> {
  return Promise.resolve(extension().activate());
}

export const pause = (milliseconds: number) =>
  new Promise<void>(resolve => setTimeout(resolve, milliseconds));

/** Waits until `probe` answers something. */
export async function until<Answer>(
  what: string,
  probe: () => Answer | Promise<Answer>,
  patience = 15_000,
): Promise<NonNullable<Exclude<Answer, false>>> {
  const start = Date.now();
  for (;;) {
    const answer = await probe();
    if (answer) return answer as NonNullable<Exclude<Answer, false>>;
    if (Date.now() - start > patience) throw new Error(`waited in vain: ${what}`);
    await pause(30);
  }
}

/** A file of the workspace. */
export function fileUri(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, "a folder is open");
  return vscode.Uri.joinPath(folder.uri, name);
}

/** Writes a file and opens it in an editor. */
export async function open(name: string, text: string): Promise<vscode.TextDocument> {
  const uri = fileUri(name);
  await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, ".."));
  writeFileSync(uri.fsPath, text);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  return document;
}

/** What is on disk. */
export function onDisk({ uri }: vscode.TextDocument): string {
  return readFileSync(uri.fsPath, "utf8");
}

/** Our diagnostics of a document. */
export function ours({ uri }: vscode.TextDocument): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter(({ source }) => source === "json-repair");
}

/** Waits for our diagnostics of a document: their codes, in order. */
export async function codes(document: vscode.TextDocument, expected: string[]): Promise<vscode.Diagnostic[]> {
  const codesNow = () => ours(document).map(codeOf);
  await until(`diagnostics ${expected.join(", ")} of ${document.uri.path}`, () => {
    return JSON.stringify(codesNow()) === JSON.stringify(expected);
  }).catch(() => assert.deepEqual(codesNow(), expected));
  return ours(document);
}

/** The code actions of a kind at a place of a document. */
export async function actions(
  document: vscode.TextDocument,
  place: vscode.Range,
  kind: string,
): Promise<vscode.CodeAction[]> {
  return until(`code actions of kind ${kind}`, async () => {
    try {
      const command = "vscode.executeCodeActionProvider";
      return await vscode.commands.executeCommand<vscode.CodeAction[]>(
        command,
        document.uri,
        place,
        kind,
        100,
      );
    } catch (error) {
      // A document that has just been opened still settles.
      if ((error as Error).name !== "Canceled") throw error;
      return undefined;
    }
  });
}

/** Types at a place of a document. */
export async function type(document: vscode.TextDocument, offset: number, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, document.positionAt(offset), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

const changed = new Map<string, vscode.ConfigurationTarget>();

/** Changes a setting until the end of the test. */
export async function set(name: string, value: unknown): Promise<void> {
  changed.set(name, vscode.ConfigurationTarget.Workspace);
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Workspace);
}

/** Leaves the workbench as a test finds it. */
export async function reset(): Promise<void> {
  // Auto save and the like must be off before documents are thrown away.
  for (const name of changed.keys()) await set(name, undefined);
  changed.clear();
  for (const document of vscode.workspace.textDocuments) {
    // VS Code itself edits its settings as documents.
    const isSettings = document.uri.path.endsWith("/settings.json");
    if (!document.isDirty || isSettings) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  }
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

/** What a message of VS Code's said, and which buttons it had. */
export interface Message {
  readonly text: string;
  readonly buttons: string[];
}

/**
 * Answers the messages that the extension shows while `during` runs, and tells
 * which those were.
 */
export async function messages(
  kind: "showErrorMessage" | "showWarningMessage" | "showInformationMessage",
  answer: string | undefined,
  during: (shown: Message[]) => Promise<void>,
): Promise<void> {
  const shown: Message[] = [];
  const window = vscode.window as unknown as Record<string, unknown>;
  const original = window[kind];
  window[kind] = (text: string, ...buttons: string[]) => {
    shown.push({ text, buttons });
    return Promise.resolve(answer);
  };
  try {
    await during(shown);
  } finally {
    window[kind] = original;
  }
}
