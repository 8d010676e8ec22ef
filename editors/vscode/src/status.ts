// The language status item: how the active document stands.

import {
  type Disposable,
  type LanguageStatusItem,
  LanguageStatusSeverity,
  type TextDocument,
  type Uri,
  commands,
  languages,
  window,
} from "vscode";

import { REPORTED_SELECTOR, documentOf, sourceUri } from "./documents";
import type { Repair } from "./report";
import { type Reports, obstacleOf } from "./reports";
import { type Server, messageOf } from "./server";
import { type Standing, summarise } from "./summary";

const SEVERITIES: Record<Standing, LanguageStatusSeverity> = {
  valid: LanguageStatusSeverity.Information,
  repairable: LanguageStatusSeverity.Warning,
  stopped: LanguageStatusSeverity.Error,
};

/** A report that takes so long is waited for visibly. */
const LONG = 500;

/** Shows how the active document stands, in the status bar's `{}`. */
export class Status implements Disposable {
  readonly #server: Server;
  readonly #reports: Reports;
  readonly #item: LanguageStatusItem;
  readonly #subscriptions: Disposable[];
  #round = 0;

  constructor(server: Server, reports: Reports) {
    this.#server = server;
    this.#reports = reports;
    this.#item = languages.createLanguageStatusItem("jsonRepair", REPORTED_SELECTOR);
    this.#item.name = "JSON Repair";
    const isActive = (uri: Uri) => {
      const active = window.activeTextEditor?.document.uri;
      return active !== undefined && uri.toString() === sourceUri(active).toString();
    };
    this.#subscriptions = [
      this.#item,
      server.onDidChange(() => this.#update()),
      window.onDidChangeActiveTextEditor(() => this.#update()),
      reports.onDidChange(uri => {
        if (!uri || isActive(uri)) void this.#update();
      }),
      // The diagnostics have the words for what stops a repair.
      languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some(isActive)) void this.#update();
      }),
    ];
    void this.#update();
  }

  /** What the item says. */
  get text(): string {
    return this.#item.text;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #update(): Promise<void> {
    const round = ++this.#round;
    const document = await documentOf(undefined).catch(() => undefined);
    if (!document || !this.#showServer()) return this.#offerEdits(false);
    const slow = setTimeout(() => {
      if (round === this.#round) this.#showReading();
    }, LONG);
    try {
      const report = await this.#reports.of(document);
      // A later update knows better.
      if (round === this.#round) this.#showReport(document, report);
    } catch (error) {
      // Where the server has ended, its state is shown already.
      if (round === this.#round && this.#server.state.kind === "running") this.#showFailure(error);
    } finally {
      clearTimeout(slow);
    }
  }

  /** Shows the server's state; whether it is one in which there are reports. */
  #showServer(): boolean {
    const { state } = this.#server;
    this.#item.busy = state.kind === "starting";
    if (state.kind === "running") return true;
    const isDown = state.kind === "missing" || state.kind === "failed";
    this.#item.text = state.kind === "missing" ? "Server not found" : isDown ? "Server is down" : "Starting";
    this.#item.detail = isDown ? state.message : "";
    this.#item.severity = isDown ? LanguageStatusSeverity.Error : LanguageStatusSeverity.Information;
    this.#item.command = { title: "Restart", command: "jsonRepair.restartServer" };
    return false;
  }

  #showReading(): void {
    this.#item.busy = true;
    this.#item.text = "Reading";
    this.#item.detail = "";
    this.#item.severity = LanguageStatusSeverity.Information;
    this.#item.command = undefined;
    this.#offerEdits(false);
  }

  /** There is no report, as when a person has cancelled the reading of a long document. */
  #showFailure(error: unknown): void {
    this.#item.busy = false;
    this.#item.text = "Not checked";
    this.#item.detail = messageOf(error);
    this.#item.severity = LanguageStatusSeverity.Warning;
    this.#item.command = undefined;
    this.#offerEdits(false);
  }

  #showReport(document: TextDocument, report: Repair): void {
    this.#item.busy = false;
    const { standing, text, detail } = summarise(document.getText(), report, obstacleOf(document, report));
    this.#item.text = text;
    this.#item.detail = detail;
    this.#item.severity = SEVERITIES[standing];
    this.#item.command = { title: "Preview", command: "jsonRepair.previewRepair", arguments: [document.uri] };
    this.#offerEdits(report.changed);
  }

  /** Has the editor's title offer a preview where there is something to see. */
  #offerEdits(hasEdits: boolean): void {
    void commands.executeCommand("setContext", "jsonRepair.hasEdits", hasEdits);
  }
}
