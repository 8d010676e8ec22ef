// VS Code's own JSON extension reports the same commas and comments. Whether
// it should is asked once, and never decided unasked.

import {
  ConfigurationTarget,
  type Disposable,
  type ExtensionContext,
  type Uri,
  languages,
  window,
  workspace,
} from "vscode";

import { isReportedTwice } from "./overlap";

/** Remembers that both reports are wanted, in every workspace. */
const KEEP_BOTH = "jsonRepair.keepsBothReports";
/** Remembers that this workspace was asked about. */
const ASKED = "jsonRepair.hasOfferedToTurnOffJsonValidation";

const TURN_OFF = "Turn Off for This Workspace";
const KEEP = "Keep Both";

/** Makes the offer at the first double report. */
export class DoubleReports implements Disposable {
  readonly #context: ExtensionContext;
  readonly #subscription: Disposable;

  constructor(context: ExtensionContext) {
    this.#context = context;
    this.#subscription = languages.onDidChangeDiagnostics(({ uris }) => void this.#look(uris));
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #look(uris: readonly Uri[]): Promise<void> {
    if (!this.#mayAsk() || !uris.some(uri => isReportedTwice(languages.getDiagnostics(uri)))) return;
    await this.#context.workspaceState.update(ASKED, true);
    const choice = await window.showInformationMessage(
      "VS Code's own JSON validation reports the same problems as JSON Repair. It also checks schemas, which JSON Repair does not.",
      TURN_OFF,
      KEEP,
    );
    if (choice === TURN_OFF) {
      const settings = workspace.getConfiguration("json");
      await settings.update("validate.enable", false, ConfigurationTarget.Workspace);
    } else if (choice === KEEP) {
      await this.#context.globalState.update(KEEP_BOTH, true);
    }
  }

  /** Without a workspace there is none to turn it off for. */
  #mayAsk(): boolean {
    const { globalState, workspaceState } = this.#context;
    return (
      workspace.workspaceFolders !== undefined &&
      !globalState.get(KEEP_BOTH, false) &&
      !workspaceState.get(ASKED, false)
    );
  }
}
