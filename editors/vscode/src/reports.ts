// The reports of the open documents, asked for once a version.

import { type Disposable, EventEmitter, type TextDocument, type Uri, languages, workspace } from "vscode";

import { codeOf } from "./defects";
import { isOurs } from "./documents";
import { OUR_SOURCE } from "./overlap";
import { type Repair, type Report, inWords, sourceOffset } from "./report";
import type { Server } from "./server";
import type { Obstacle } from "./summary";

/** A pause in typing after which reports are asked for anew. */
const PAUSE = 120;
/** The same for a document whose text takes long to send. */
const LONG_PAUSE = 1000;
/** The characters from which on that is so. */
const LONG = 1 << 20;

/** What is known of the open documents. */
export class Reports implements Disposable {
  readonly #server: Server;
  readonly #changed = new EventEmitter<Uri | undefined>();
  readonly #pending = new Map<string, NodeJS.Timeout>();
  readonly #subscriptions: Disposable[];
  #known = new WeakMap<TextDocument, { version: number; report: Promise<Report> }>();

  /** Fires when a document's report may be another; every document's where none is named. */
  readonly onDidChange = this.#changed.event;

  constructor(server: Server) {
    this.#server = server;
    this.#subscriptions = [
      this.#changed,
      server.onDidChange(() => this.#forget()),
      workspace.onDidChangeTextDocument(({ document }) => this.#touch(document)),
      workspace.onDidOpenTextDocument(document => this.#touch(document)),
      workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration("jsonRepair")) this.#touchAll();
      }),
    ];
  }

  /** What would be repaired in a document as it is now. */
  of(document: TextDocument): Promise<Report> {
    const known = this.#known.get(document);
    if (known?.version === document.version) return known.report;
    const report = this.#server.report(document);
    // Whoever asked hears of a failure; the next one asks again.
    report.catch(() => this.#known.delete(document));
    this.#known.set(document, { version: document.version, report });
    return report;
  }

  dispose(): void {
    for (const timer of this.#pending.values()) clearTimeout(timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #touch(document: TextDocument): void {
    if (!isOurs(document)) return;
    const key = document.uri.toString();
    clearTimeout(this.#pending.get(key));
    const pause =
      document.offsetAt(document.lineAt(document.lineCount - 1).range.end) < LONG ? PAUSE : LONG_PAUSE;
    const timer = setTimeout(() => {
      this.#pending.delete(key);
      this.#changed.fire(document.uri);
    }, pause);
    this.#pending.set(key, timer);
  }

  /** The settings have changed: the server hears of it through the client, so not at once. */
  #touchAll(): void {
    setTimeout(() => this.#forget(), PAUSE);
  }

  #forget(): void {
    this.#known = new WeakMap();
    this.#changed.fire(undefined);
  }
}

/** What keeps a document from being JSON, and where. */
export function obstacleOf(document: TextDocument, report: Repair): Obstacle | undefined {
  const error = report.json_error;
  if (!error) return undefined;
  const diagnostics = languages.getDiagnostics(document.uri);
  const told = diagnostics.find(
    diagnostic => diagnostic.source === OUR_SOURCE && codeOf(diagnostic) === error.code,
  );
  const { line, character } =
    told?.range.start ?? document.positionAt(sourceOffset(report.edits, error.offset));
  return { message: told?.message ?? inWords(error.code), line, character };
}
