// The edit log: a read-only document whose lines lead to the edits' places.

import {
  type Disposable,
  type DocumentLinkProvider,
  DocumentLink,
  EventEmitter,
  Range,
  type TextDocument,
  type TextDocumentContentProvider,
  Uri,
  ViewColumn,
  commands,
  languages,
  window,
  workspace,
} from "vscode";

import { LOG_SCHEME, isGone, nameOf, sourceUri, virtualUri } from "./documents";
import { type LogLink, editLog } from "./editLogText";
import type { Reports } from "./reports";
import { messageOf } from "./server";

/** The command behind a line of the log; it takes the URI, an offset and a length. */
const GO_TO_EDIT = "jsonRepair.goToEdit";
/** The log's language, which colours it. */
const LANGUAGE = "json-repair-log";

/** The open edit logs. */
export class EditLogs implements TextDocumentContentProvider, DocumentLinkProvider, Disposable {
  readonly #reports: Reports;
  readonly #changed = new EventEmitter<Uri>();
  readonly #links = new Map<string, readonly LogLink[]>();
  readonly #subscriptions: Disposable[];

  readonly onDidChange = this.#changed.event;

  constructor(reports: Reports) {
    this.#reports = reports;
    this.#subscriptions = [
      this.#changed,
      workspace.registerTextDocumentContentProvider(LOG_SCHEME, this),
      languages.registerDocumentLinkProvider({ scheme: LOG_SCHEME }, this),
      commands.registerCommand(GO_TO_EDIT, goToEdit),
      reports.onDidChange(source => this.#refresh(source)),
      workspace.onDidCloseTextDocument(document => {
        if (isGone(document)) this.#links.delete(document.uri.toString());
      }),
    ];
  }

  /** Shows the log of a document beside it. */
  async show(document: TextDocument): Promise<void> {
    const uri = virtualUri(LOG_SCHEME, document.uri, `Edits of ${nameOf(document.uri)}`);
    const log = await languages.setTextDocumentLanguage(await workspace.openTextDocument(uri), LANGUAGE);
    // At the heading's end the cursor highlights no word.
    const selection = log.lineAt(0).range.end;
    await window.showTextDocument(log, {
      viewColumn: ViewColumn.Beside,
      preview: true,
      selection: new Range(selection, selection),
    });
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    const source = sourceUri(uri);
    const document = await workspace.openTextDocument(source);
    try {
      const report = await this.#reports.of(document);
      const { text, links } = editLog(nameOf(source), report, offset => document.positionAt(offset));
      this.#links.set(uri.toString(), links);
      return text;
    } catch (error) {
      this.#links.delete(uri.toString());
      return `No edit log of ${nameOf(source)}: ${messageOf(error)}\n`;
    }
  }

  provideDocumentLinks({ uri }: TextDocument): DocumentLink[] {
    const source = sourceUri(uri).toString();
    return (this.#links.get(uri.toString()) ?? []).map(({ line, start, end, offset, length }) => {
      const query = encodeURIComponent(JSON.stringify([source, offset, length]));
      const link = new DocumentLink(
        new Range(line, start, line, end),
        Uri.parse(`command:${GO_TO_EDIT}?${query}`),
      );
      link.tooltip = "Go to this place";
      return link;
    });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #refresh(source: Uri | undefined): void {
    for (const { uri } of workspace.textDocuments) {
      if (uri.scheme !== LOG_SCHEME) continue;
      if (!source || sourceUri(uri).toString() === source.toString()) this.#changed.fire(uri);
    }
  }
}

async function goToEdit(source: string, offset: number, length: number): Promise<void> {
  const document = await workspace.openTextDocument(Uri.parse(source, true));
  const selection = new Range(document.positionAt(offset), document.positionAt(offset + length));
  const shown = window.visibleTextEditors.find(editor => editor.document === document);
  await window.showTextDocument(document, { selection, viewColumn: shown?.viewColumn ?? ViewColumn.One });
}
