// The server as a process.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

import * as vscode from "vscode";

import { api, codes, fileUri, messages, open, set, type, until } from "./workbench";

/** The process of the running server: a child of the extension host. */
function serverPid(): number | undefined {
  const pids = readdirSync("/proc").filter(name => /^\d+$/.test(name));
  const isOurs = (pid: string) => {
    try {
      const [, parent] = /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      const [program] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return parent === String(process.pid) && program?.endsWith("/json-repair-lsp");
    } catch {
      return false;
    }
  };
  return pids.filter(isOurs).map(Number)[0];
}

export const tests = {
  async "a server that is killed is started again"() {
    const document = await open("killed.json", "[1,]");
    await codes(document, ["remove_trailing_commas"]);
    const before = await until("a server", serverPid);
    process.kill(before, "SIGKILL");
    const after = await until("another server", () => {
      const pid = serverPid();
      return pid !== before && pid;
    });
    assert.notEqual(after, before);
    await codes(document, ["remove_trailing_commas"]);
    await type(document, 0, "[");
    await codes(document, ["close_truncated", "remove_trailing_commas"]);
  },

  async "Restart Server restarts it"() {
    const document = await open("restarted.json", "[1,]");
    const before = await until("a server", serverPid);
    await vscode.commands.executeCommand("jsonRepair.restartServer");
    const after = await until("another server", serverPid);
    assert.notEqual(after, before);
    await codes(document, ["remove_trailing_commas"]);
  },

  async "several restarts at once leave one server"() {
    await api();
    await Promise.all([1, 2, 3].map(() => vscode.commands.executeCommand("jsonRepair.restartServer")));
    const document = await open("restarts.json", "[1,]");
    await codes(document, ["remove_trailing_commas"]);
  },

  async "a server that is missing is said, with what to do"() {
    const { server, status } = await api();
    await messages("showErrorMessage", undefined, async shown => {
      await set("jsonRepair.server.path", "/nowhere/json-repair-lsp");
      const { text, buttons } = await until("the message", () => shown[0]);
      assert.match(text, /jsonRepair\.server\.path leads to no file: \/nowhere\/json-repair-lsp/);
      assert.deepEqual(buttons, ["Open Setting", "Try Again"]);
      assert.equal(server.state.kind, "missing");
      await open("missing.json", "[1,]");
      await until("the status", () => status.text === "Server not found");
      await vscode.commands.executeCommand("jsonRepair.previewRepair");
      await vscode.commands.executeCommand("jsonRepair.copyRepairedText");
      assert.match(shown.at(-1)?.text ?? "", /not running/);
    });
    await set("jsonRepair.server.path", undefined);
    await until("the server", () => server.state.kind === "running");
  },

  async "a server that does not start is said once"() {
    const { server } = await api();
    const impostors = {
      exits: "#!/bin/sh\nexit 3\n",
      talks: "#!/bin/sh\necho hello\n",
      "is-no-program": "hello",
    };
    for (const [name, text] of Object.entries(impostors)) {
      const impostor = fileUri(name).fsPath;
      writeFileSync(impostor, text, { mode: name === "is-no-program" ? 0o644 : 0o755 });
      await messages("showErrorMessage", undefined, async shown => {
        await set("jsonRepair.server.path", impostor);
        await until("the failure", () => shown.length > 0 && server.state.kind === "failed");
        assert.deepEqual(
          shown.map(({ buttons }) => buttons),
          [["Show Output", "Open Setting"]],
        );
        assert.match(shown[0]?.text ?? "", new RegExp(`does not start: .*${name}: `));
      });
    }
    await set("jsonRepair.server.path", undefined);
    await until("the server", () => server.state.kind === "running");
  },

  async "a server that keeps dying is left alone in the end"() {
    const { server } = await api();
    await messages("showErrorMessage", undefined, async shown => {
      const runningPid = () => (server.state.kind === "running" ? serverPid() : undefined);
      let pid = await until("a server", runningPid);
      for (let crash = 0; crash < 6 && server.state.kind !== "failed"; crash++) {
        const killed = pid;
        process.kill(killed, "SIGKILL");
        await until("what comes of it", () => {
          pid = runningPid() ?? killed;
          return server.state.kind === "failed" || pid !== killed;
        });
      }
      assert.equal(server.state.kind, "failed");
      assert.match(shown[0]?.text ?? "", /stays down/);
    });
    await vscode.commands.executeCommand("jsonRepair.restartServer");
    assert.equal(server.state.kind, "running");
  },
};
