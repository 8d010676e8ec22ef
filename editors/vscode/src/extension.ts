// What VS Code calls: the parts are made here, and know one another only as
// far as they are handed one another here.

import { type ExtensionContext, window, workspace } from "vscode";

import { registerCommands } from "./commands";
import { DoubleReports } from "./doubleReports";
import { EditLogs } from "./editLog";
import { Preview } from "./preview";
import { Reports } from "./reports";
import { Server } from "./server";
import { Status } from "./status";

let server: Server | undefined;

/** What the tests see of the running extension. */
export interface Api {
  readonly server: Server;
  readonly status: Status;
}

export async function activate(context: ExtensionContext): Promise<Api> {
  const output = window.createOutputChannel("JSON Repair");
  server = new Server(context, output);
  const reports = new Reports(server);
  const preview = new Preview(reports);
  const editLogs = new EditLogs(reports);
  const status = new Status(server, reports);
  const restarts = workspace.onDidChangeConfiguration(event => {
    if (event.affectsConfiguration("jsonRepair.server.path")) void server?.restart();
  });
  context.subscriptions.push(
    output,
    reports,
    preview,
    editLogs,
    status,
    restarts,
    new DoubleReports(context),
    ...registerCommands({ server, reports, preview, editLogs, output }),
  );
  await server.restart();
  return { server, status };
}

/** VS Code waits for this, so that the server ends before it is killed. */
export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
