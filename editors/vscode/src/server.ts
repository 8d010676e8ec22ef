// The server as a process: found, started, restarted, asked.
//
// There is one way to a running server, `restart`: activation, the command, a
// changed setting and a crash all take it, one after the other.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import {
  EventEmitter,
  type ExtensionContext,
  type OutputChannel,
  type TextDocument,
  commands,
  env,
  window,
  workspace,
} from "vscode";
import {
  CloseAction,
  DidChangeConfigurationNotification,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  State,
} from "vscode-languageclient/node";

import { DefectPage, OUR_PAGE } from "./defects";
import { SELECTOR } from "./documents";
import type { Repair, Report } from "./report";
import { findServer } from "./serverPath";
import { ServerProcess } from "./serverProcess";

/** The section of the configuration that is ours; the client's id, too. */
export const SECTION = "jsonRepair";

/** A server that ends more often than this within `CRASH_PERIOD` stays down. */
const MOST_CRASHES = 4;
const CRASH_PERIOD = 3 * 60 * 1000;

/** How the server is. */
export type ServerState =
  | { readonly kind: "starting" | "running" | "stopped" }
  | { readonly kind: "missing" | "failed"; readonly message: string };

/** The client without message boxes of its own: ours say what to do. */
class QuietLanguageClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** The one server of a window. */
export class Server {
  readonly #context: ExtensionContext;
  readonly #output: OutputChannel;
  readonly #page: DefectPage;
  readonly #changed = new EventEmitter<void>();
  #client: LanguageClient | undefined;
  #process: ServerProcess | undefined;
  #state: ServerState = { kind: "stopped" };
  #settled: Promise<void> = Promise.resolve();
  #crashes: number[] = [];

  /** Fires when the server's state has changed. */
  readonly onDidChange = this.#changed.event;

  constructor(context: ExtensionContext, output: OutputChannel) {
    this.#context = context;
    this.#output = output;
    this.#page = new DefectPage(context.extensionUri);
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Starts the server, after ending the one that runs. */
  restart(): Promise<void> {
    return this.#next(async () => {
      await this.#end();
      await this.#start();
    });
  }

  /** Ends the server for good. */
  stop(): Promise<void> {
    return this.#next(() => this.#end());
  }

  /** What would be repaired in a document. */
  report(document: TextDocument): Promise<Report> {
    return this.#execute("jsonRepair.report", document);
  }

  /** Repairs a document; the answer is what was done. */
  apply(document: TextDocument): Promise<Repair> {
    return this.#execute("jsonRepair.apply", document);
  }

  async #execute<Answer>(command: string, document: TextDocument): Promise<Answer> {
    await this.#settled;
    if (!this.#client) throw new Error("the JSON Repair server is not running");
    const uri = this.#client.code2ProtocolConverter.asUri(document.uri);
    return this.#client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [{ uri }] });
  }

  /** Does one thing after the other, whatever becomes of it. */
  #next(step: () => Promise<void>): Promise<void> {
    this.#settled = this.#settled.then(step).catch((error: unknown) => {
      this.#become({ kind: "failed", message: messageOf(error) });
    });
    return this.#settled;
  }

  async #start(): Promise<void> {
    const settings = workspace.getConfiguration(SECTION);
    const lookup = findServer({
      setting: settings.get<string>("server.path", "").trim(),
      extensionFolder: this.#context.extensionPath,
      workspaceFolder: workspace.workspaceFolders?.[0]?.uri.fsPath,
      homeFolder: homedir(),
      path: process.env["PATH"] ?? "",
      platform: process.platform,
      isFile,
    });
    if (!lookup.found) {
      this.#become({ kind: "missing", message: lookup.message });
      void this.#offer(lookup.message, "Open Setting", "Try Again");
      return;
    }
    this.#output.appendLine(`Starting ${lookup.path} (${lookup.from})`);
    this.#become({ kind: "starting" });
    try {
      const process = await ServerProcess.start(lookup.path);
      this.#process = process;
      const client = this.#newClient(process);
      this.#client = client;
      await process.unlessItFails(started(client));
    } catch (error) {
      await this.#end();
      const message = `The JSON Repair server does not start: ${lookup.path}: ${messageOf(error)}`;
      this.#become({ kind: "failed", message });
      void this.#offer(message, "Show Output", "Open Setting");
      return;
    }
    this.#become({ kind: "running" });
  }

  #newClient({ child }: ServerProcess): LanguageClient {
    const client: LanguageClient = new QuietLanguageClient(
      SECTION,
      "JSON Repair",
      () => Promise.resolve(child),
      {
        documentSelector: SELECTOR,
        initializationOptions: serverSettings(),
        synchronize: { configurationSection: SECTION },
        middleware: {
          handleDiagnostics: (uri, diagnostics, next) => next(uri, this.#page.linked(diagnostics)),
          provideDiagnostics: async (document, previousId, token, next) => {
            const report = await next(document, previousId, token);
            if (report && "items" in report) this.#page.linked(report.items);
            return report;
          },
          workspace: {
            configuration: ({ items }) =>
              items.map(({ section }) => (section === SECTION ? serverSettings() : null)),
            didChangeConfiguration: () =>
              client.sendNotification(DidChangeConfigurationNotification.type, {
                settings: { [SECTION]: serverSettings() },
              }),
          },
        },
        outputChannel: this.#output,
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
        },
        initializationFailedHandler: () => false,
      },
    );
    client.onDidChangeState(({ newState }) => {
      const isUnexpected = this.#client === client && this.#state.kind === "running";
      if (newState === State.Stopped && isUnexpected) this.#crash();
    });
    return client;
  }

  #crash(): void {
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter(crash => now - crash < CRASH_PERIOD), now];
    if (this.#crashes.length <= MOST_CRASHES) {
      this.#output.appendLine("The server has ended unexpectedly and is started again.");
      void this.restart();
      return;
    }
    this.#crashes = [];
    const message = `The JSON Repair server has ended ${MOST_CRASHES + 1} times within three minutes, and stays down.`;
    void this.stop().then(() => this.#become({ kind: "failed", message }));
    void this.#offer(message, "Show Output", "Try Again");
  }

  async #end(): Promise<void> {
    const [client, process] = [this.#client, this.#process];
    this.#client = undefined;
    this.#process = undefined;
    if (!client && !process) return;
    this.#become({ kind: "stopped" });
    // A client rejects where its server is gone or never answered.
    await client?.dispose().catch(() => {});
    await process?.end();
  }

  #become(state: ServerState): void {
    this.#state = state;
    this.#changed.fire();
  }

  /** Says what is wrong, with buttons for what can be done about it. */
  async #offer(message: string, ...remedies: Remedy[]): Promise<void> {
    this.#output.appendLine(message);
    const chosen = await window.showErrorMessage(message, ...remedies);
    if (chosen) await REMEDIES[chosen]();
  }
}

type Remedy = "Open Setting" | "Show Output" | "Try Again";

const REMEDIES: Record<Remedy, () => Thenable<unknown>> = {
  "Open Setting": () => {
    // On a remote host the path is that host's setting, not the person's.
    const where = env.remoteName === undefined ? "openSettings" : "openRemoteSettings";
    return commands.executeCommand(`workbench.action.${where}`, { query: "jsonRepair.server.path" });
  },
  "Show Output": () => commands.executeCommand("jsonRepair.showOutput"),
  "Try Again": () => commands.executeCommand("jsonRepair.restartServer"),
};

/** A person's settings, as the server is told them. */
function serverSettings(): object {
  const { diagnostics, ...others } = workspace.getConfiguration(SECTION);
  return {
    ...others,
    diagnostics: { ...diagnostics, documentation: diagnostics?.documentation ?? OUR_PAGE },
  };
}

/** A client's start succeeds, too, when the connection has ended in the middle of it. */
async function started(client: LanguageClient): Promise<void> {
  await client.start();
  if (client.state !== State.Running) throw new Error("it ended before it answered");
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
