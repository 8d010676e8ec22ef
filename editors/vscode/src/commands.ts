// The commands of the palette.

import { type Disposable, type OutputChannel, type TextDocument, Uri, commands, env, window } from "vscode";

import { documentOf } from "./documents";
import type { EditLogs } from "./editLog";
import type { Preview } from "./preview";
import type { Repair } from "./report";
import { type Reports, obstacleOf } from "./reports";
import { type Server, messageOf } from "./server";
import { type Obstacle, outcome } from "./summary";

/** How long a success is shown in the status bar. */
const GLANCE = 5000;

/** What the commands work with. */
interface Parts {
  readonly server: Server;
  readonly reports: Reports;
  readonly preview: Preview;
  readonly editLogs: EditLogs;
  readonly output: OutputChannel;
}

/** Registers the commands. */
export function registerCommands({ server, reports, preview, editLogs, output }: Parts): Disposable[] {
  const onDocument = (id: string, run: (document: TextDocument) => Promise<void>) =>
    commands.registerCommand(id, async (argument?: unknown) => {
      const document = await documentOf(argument instanceof Uri ? argument : undefined);
      if (!document)
        return window.showInformationMessage("JSON Repair works on JSON documents; open one first.");
      return run(document).catch((error: unknown) =>
        window.showErrorMessage(`JSON Repair: ${messageOf(error)}`),
      );
    });
  return [
    onDocument("jsonRepair.repairDocument", async document => {
      const obstacle = obstacleOf(document, await reports.of(document));
      say("Repaired", await server.apply(document), obstacle);
    }),
    onDocument("jsonRepair.previewRepair", document => preview.show(document)),
    onDocument("jsonRepair.copyRepairedText", async document => {
      const report = await reports.of(document);
      await env.clipboard.writeText(report.text);
      say("Copied the repaired text", report, obstacleOf(document, report));
    }),
    onDocument("jsonRepair.showEditLog", document => editLogs.show(document)),
    commands.registerCommand("jsonRepair.restartServer", () => server.restart()),
    commands.registerCommand("jsonRepair.showOutput", () => output.show(true)),
  ];
}

/** A success is said in passing; a text that is still not JSON is not. */
function say(done: string, report: Repair, obstacle: Obstacle | undefined): void {
  const message = outcome(done, report, obstacle);
  if (report.valid_json) window.setStatusBarMessage(`$(check) ${message}`, GLANCE);
  else void window.showWarningMessage(message);
}
