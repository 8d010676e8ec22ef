// The preview: a document beside its repair, in VS Code's own diff editor.

import {
  type Disposable,
  EventEmitter,
  type TextDocument,
  type TextDocumentContentProvider,
  Uri,
  commands,
  languages,
  workspace,
} from "vscode";

import { PREVIEW_SCHEME, isGone, nameOf, sourceUri, virtualUri } from "./documents";
import type { Reports } from "./reports";

/** The repaired sides of the previews. */
export class Preview implements TextDocumentContentProvider, Disposable {
  readonly #reports: Reports;
  readonly #changed = new EventEmitter<Uri>();
  readonly #latest = new Map<string, string>();
  readonly #subscriptions: Disposable[];

  readonly onDidChange = this.#changed.event;

  constructor(reports: Reports) {
    this.#reports = reports;
    this.#subscriptions = [
      this.#changed,
      workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, this),
      reports.onDidChange(source => this.#refresh(source)),
      workspace.onDidCloseTextDocument(document => {
        if (isGone(document)) this.#latest.delete(document.uri.toString());
      }),
    ];
  }

  /** Shows a document beside its repair. */
  async show(document: TextDocument): Promise<void> {
    const name = nameOf(document.uri);
    const uri = virtualUri(PREVIEW_SCHEME, document.uri, name);
    const repaired = await workspace.openTextDocument(uri);
    if (repaired.languageId !== document.languageId) {
      await languages.setTextDocumentLanguage(repaired, document.languageId);
    }
    await commands.executeCommand("vscode.diff", document.uri, uri, `${name} ↔ repaired`);
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    const document = await workspace.openTextDocument(sourceUri(uri));
    const key = uri.toString();
    try {
      const { text } = await this.#reports.of(document);
      this.#latest.set(key, text);
      return text;
    } catch {
      // While the server restarts, the last repair is better than none.
      return this.#latest.get(key) ?? document.getText();
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #refresh(source: Uri | undefined): void {
    for (const { uri } of workspace.textDocuments) {
      if (uri.scheme !== PREVIEW_SCHEME) continue;
      if (!source || sourceUri(uri).toString() === source.toString()) this.#changed.fire(uri);
    }
  }
}
