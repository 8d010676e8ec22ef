// Which documents are ours, and the virtual documents that belong to them.

import { type DocumentSelector, type TextDocument, Uri, window, workspace } from "vscode";

import { LANGUAGES } from "./languages";

const SCHEMES = ["file", "untitled", "vscode-remote"];

/** The documents that the server is told about. */
export const SELECTOR = SCHEMES.flatMap(scheme => LANGUAGES.map(language => ({ scheme, language })));

/** The scheme of the repaired side of a preview. */
export const PREVIEW_SCHEME = "json-repair-preview";
/** The scheme of an edit log. */
export const LOG_SCHEME = "json-repair-log";

/** The documents that there is something to say about: a preview or a log stands for its document. */
export const REPORTED_SELECTOR: DocumentSelector = [
  ...SELECTOR,
  { scheme: PREVIEW_SCHEME },
  { scheme: LOG_SCHEME },
];

/** Whether the server is told about a document. */
export function isOurs({ uri, languageId }: TextDocument): boolean {
  return SCHEMES.includes(uri.scheme) && LANGUAGES.includes(languageId);
}

/** The virtual document of `scheme` that belongs to `source`. */
export function virtualUri(scheme: string, source: Uri, name: string): Uri {
  const folder = source.path.slice(0, source.path.lastIndexOf("/") + 1);
  return Uri.from({ scheme, path: folder + name, query: source.toString() });
}

/** The document that a virtual one belongs to, or the URI itself. */
export function sourceUri(uri: Uri): Uri {
  return uri.scheme === PREVIEW_SCHEME || uri.scheme === LOG_SCHEME ? Uri.parse(uri.query, true) : uri;
}

/**
 * The document that a command is about: the one it names, or the active
 * editor's. `undefined` where that is none of ours.
 */
export async function documentOf(uri: Uri | undefined): Promise<TextDocument | undefined> {
  const target = uri ?? window.activeTextEditor?.document.uri;
  if (!target) return undefined;
  const document = await workspace.openTextDocument(sourceUri(target));
  return isOurs(document) ? document : undefined;
}

/** Whether a document that VS Code calls closed is; a change of its language looks the same. */
export function isGone(document: TextDocument): boolean {
  return !workspace.textDocuments.includes(document);
}

/** The name that a document is called by in titles. */
export function nameOf(uri: Uri): string {
  return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}
