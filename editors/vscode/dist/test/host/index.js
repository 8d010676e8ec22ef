"use strict";
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// test/host/index.ts
var host_exports = {};
__export(host_exports, {
  run: () => run
});
module.exports = __toCommonJS(host_exports);
var vscode7 = __toESM(require("vscode"));

// test/host/documents.ts
var import_strict2 = __toESM(require("node:assert/strict"));
var vscode2 = __toESM(require("vscode"));

// test/host/workbench.ts
var import_strict = __toESM(require("node:assert/strict"));
var import_node_fs = require("node:fs");
var vscode = __toESM(require("vscode"));
var EXTENSION = "json-repair-lsp.json-repair-lsp";
function extension() {
  const found = vscode.extensions.getExtension(EXTENSION);
  import_strict.default.ok(found, "the extension is installed");
  return found;
}
function api() {
  return Promise.resolve(extension().activate());
}
var pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
async function until(what, probe, patience = 15e3) {
  const start = Date.now();
  for (; ; ) {
    const answer = await probe();
    if (answer) return answer;
    if (Date.now() - start > patience) throw new Error(`waited in vain: ${what}`);
    await pause(30);
  }
}
function fileUri(name) {
  const folder = vscode.workspace.workspaceFolders?.[0];
  import_strict.default.ok(folder, "a folder is open");
  return vscode.Uri.joinPath(folder.uri, name);
}
async function open(name, text) {
  const uri = fileUri(name);
  await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, ".."));
  (0, import_node_fs.writeFileSync)(uri.fsPath, text);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  return document;
}
function onDisk({ uri }) {
  return (0, import_node_fs.readFileSync)(uri.fsPath, "utf8");
}
function ours({ uri }) {
  return vscode.languages.getDiagnostics(uri).filter(({ source }) => source === "json-repair");
}
async function codes(document, expected) {
  const codesNow = () => ours(document).map(({ code }) => code);
  await until(`diagnostics ${expected.join(", ")} of ${document.uri.path}`, () => {
    return JSON.stringify(codesNow()) === JSON.stringify(expected);
  }).catch(() => import_strict.default.deepEqual(codesNow(), expected));
  return ours(document);
}
async function actions(document, place, kind) {
  return until(`code actions of kind ${kind}`, async () => {
    try {
      const command = "vscode.executeCodeActionProvider";
      return await vscode.commands.executeCommand(
        command,
        document.uri,
        place,
        kind,
        100
      );
    } catch (error) {
      if (error.name !== "Canceled") throw error;
      return void 0;
    }
  });
}
async function type(document, offset, text) {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, document.positionAt(offset), text);
  import_strict.default.ok(await vscode.workspace.applyEdit(edit));
}
var changed = /* @__PURE__ */ new Map();
async function set(name, value) {
  changed.set(name, vscode.ConfigurationTarget.Workspace);
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Workspace);
}
async function reset() {
  for (const name of changed.keys()) await set(name, void 0);
  changed.clear();
  for (const document of vscode.workspace.textDocuments) {
    const isSettings = document.uri.path.endsWith("/settings.json");
    if (!document.isDirty || isSettings) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  }
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}
async function messages(kind, answer, during) {
  const shown = [];
  const window4 = vscode.window;
  const original = window4[kind];
  window4[kind] = (text, ...buttons) => {
    shown.push({ text, buttons });
    return Promise.resolve(answer);
  };
  try {
    await during(shown);
  } finally {
    window4[kind] = original;
  }
}

// test/host/documents.ts
var shape = ({ message, range }) => [message, range.start.line, range.start.character];
var tests = {
  async "the extension starts with the first JSON document"() {
    const document = await open("first.json", '{\n  "a": [1, 2,],\n}\n');
    const diagnostics = await codes(document, ["remove_trailing_commas", "remove_trailing_commas"]);
    import_strict2.default.ok(extension().isActive);
    import_strict2.default.deepEqual(diagnostics.map(shape), [
      ["JSON has no trailing commas", 1, 12],
      ["JSON has no trailing commas", 1, 14]
    ]);
    import_strict2.default.deepEqual(diagnostics[0]?.tags, [vscode2.DiagnosticTag.Unnecessary]);
  },
  async "places count as VS Code counts them"() {
    const document = await open("wide.json", '["\u{1F600}\xE9", 1,] // \u{1F600}\r\n');
    const [comma] = await codes(document, ["remove_trailing_commas", "remove_comments"]);
    import_strict2.default.equal(comma?.range.start.character, 9);
  },
  async "a cut text points at its openers"() {
    const document = await open("cut.json", '{"a": ["b\n');
    const [closing] = await codes(document, ["close_truncated"]);
    import_strict2.default.equal(closing?.relatedInformation?.length, 3);
  },
  async "untitled documents are checked"() {
    const document = await vscode2.workspace.openTextDocument({ language: "json", content: "[1,]" });
    await vscode2.window.showTextDocument(document);
    await codes(document, ["remove_trailing_commas"]);
  },
  async "JSON with comments is left alone"() {
    const text = '// a\n{ "compilerOptions": { "strict": true, }, /* b */ }\n';
    const plain = await open("after.json", "[1,]");
    for (const name of ["tsconfig.json", "deep/.vscode/settings.json", "a.jsonc"]) {
      const document = await open(name, text);
      await codes(plain, ["remove_trailing_commas"]);
      await pause(300);
      import_strict2.default.deepEqual(ours(document), [], name);
    }
    const cut = await open("cut.jsonc", "[1, // a\n");
    await codes(cut, ["close_truncated"]);
  },
  async "JSON Lines are silent"() {
    const document = await open("log.jsonl", '{"a": 1,}\n{"b": 2}\n');
    const plain = await open("after-lines.json", "[1,]");
    await codes(plain, ["remove_trailing_commas"]);
    import_strict2.default.deepEqual(ours(document), []);
  },
  async "a changed setting changes what is reported"() {
    const document = await open("lowered.json", "[1,] // a");
    await codes(document, ["remove_trailing_commas", "remove_comments"]);
    await set("jsonRepair.diagnostics.severity", "hint");
    await until("a lower severity", () => {
      return ours(document).every(({ severity }) => severity === vscode2.DiagnosticSeverity.Hint);
    });
    await set("jsonRepair.rules", ["remove_comments"]);
    await codes(document, ["unexpected_character", "remove_comments"]);
    await set("jsonRepair.diagnostics.enable", false);
    await codes(document, []);
  },
  async "a double report is offered to be ended, once, and ended only then"() {
    const isValidating = () => vscode2.workspace.getConfiguration("json").get("validate.enable");
    await messages("showInformationMessage", "Turn Off for This Workspace", async (shown) => {
      await set("json.validate.enable", true);
      const document = await open("double.json", '{\n  "a": 1,\n}\n');
      const offer = await until("the offer", () => shown[0], 3e4);
      import_strict2.default.deepEqual(offer.buttons, ["Turn Off for This Workspace", "Keep Both"]);
      await until("the choice to be made", () => !isValidating());
      const theirs = () => vscode2.languages.getDiagnostics(document.uri).filter(({ source }) => source === "json");
      await until("VS Code's own reports to go", () => theirs().length === 0);
      await set("json.validate.enable", true);
      await until("VS Code's own reports to come back", () => theirs().length > 0);
      await pause(200);
      import_strict2.default.equal(shown.length, 1);
      import_strict2.default.ok(isValidating());
    });
  }
};

// test/host/repairs.ts
var import_strict3 = __toESM(require("node:assert/strict"));
var vscode3 = __toESM(require("vscode"));
var TEXT = '{\n  // one\n  "a": [1, 2,], // two\n  "b": "cut,\n';
var everywhere = (document) => document.validateRange(new vscode3.Range(0, 0, Number.MAX_SAFE_INTEGER, 0));
async function fixes(name, text) {
  const results = {};
  const document = await open(name, text);
  await until("diagnostics", () => vscode3.languages.getDiagnostics(document.uri).length);
  const offered = await actions(document, everywhere(document), "quickfix");
  for (const { title, edit } of offered) {
    import_strict3.default.ok(edit, `${title} has an edit`);
    import_strict3.default.ok(await vscode3.workspace.applyEdit(edit), title);
    results[title.replace(/(`);.*$/, "$1")] = document.getText();
    await vscode3.commands.executeCommand("undo");
    await until(`${title} to be undone`, () => document.getText() === text);
    const again = await actions(document, everywhere(document), "quickfix");
    import_strict3.default.deepEqual(
      again.map((action) => action.title),
      offered.map((action) => action.title)
    );
    for (const action of again) {
      const other = offered.find(({ title: title2 }) => title2 === action.title);
      if (other && action.edit) other.edit = action.edit;
    }
  }
  return results;
}
var tests2 = {
  async "each quick fix does what it says"() {
    const results = await fixes("fixes.json", '{\n  "a": [1, 2,], // two\n  /* one */ "b": "cut,\n');
    import_strict3.default.deepEqual(results, {
      "Remove trailing comma": '{\n  "a": [1, 2], // two\n  /* one */ "b": "cut,\n',
      "Remove comment": '{\n  "a": [1, 2,], // two\n   "b": "cut,\n',
      "Remove all 2 comments": '{\n  "a": [1, 2,], \n   "b": "cut,\n',
      'Close truncated JSON with `"}`': '{\n  "a": [1, 2,], // two\n  /* one */ "b": "cut,"}\n',
      "Repair JSON: 4 edits": '{\n  "a": [1, 2], \n   "b": "cut,"}\n'
    });
  },
  async "many commas have a fix of their own"() {
    const results = await fixes("commas.json", "[[1,],]\n");
    import_strict3.default.equal(results["Remove all 2 trailing commas"], "[[1]]\n");
  },
  async "the quick fix of a place comes first and is preferred"() {
    const document = await open("preferred.json", "[1,]");
    const [comma] = await codes(document, ["remove_trailing_commas"]);
    import_strict3.default.ok(comma);
    const [first] = await actions(document, comma.range, "quickfix");
    import_strict3.default.equal(first?.title, "Remove trailing comma");
    import_strict3.default.equal(first.isPreferred, true);
  },
  async "JSON with comments is made strict on demand only"() {
    const document = await open("strict.jsonc", "[1, /* a */]\n");
    const offered = await until("the conversion", async () => {
      const found = await actions(document, everywhere(document), "refactor.rewrite");
      return found.find(({ title }) => title === "Convert to strict JSON");
    });
    import_strict3.default.ok(offered.edit && await vscode3.workspace.applyEdit(offered.edit));
    import_strict3.default.equal(document.getText(), "[1 ]\n");
  },
  async "Repair Document makes the whole repair"() {
    const document = await open("repair.json", TEXT);
    await vscode3.commands.executeCommand("jsonRepair.repairDocument");
    await until("the repair", () => document.getText() === '{\n  \n  "a": [1, 2], \n  "b": "cut,"}\n');
    await vscode3.commands.executeCommand("undo");
    await until("one undo for all of it", () => document.getText() === TEXT);
  },
  async "Repair Document says when the result is still not JSON"() {
    const document = await open("stopped.json", "[1,]\n[2,]\n");
    await codes(document, ["trailing_content", "remove_trailing_commas", "remove_trailing_commas"]);
    await messages("showWarningMessage", void 0, async (shown) => {
      await vscode3.commands.executeCommand("jsonRepair.repairDocument");
      await until("the repair", () => document.getText() === "[1]\n[2]\n");
      const { text } = await until("the warning", () => shown[0]);
      import_strict3.default.match(text, /^Repaired: 2 edits, but still not JSON: \S/);
    });
  },
  async "Copy Repaired Text leaves the document alone"() {
    const document = await open("copy.json", TEXT);
    await vscode3.commands.executeCommand("jsonRepair.copyRepairedText");
    import_strict3.default.equal(await vscode3.env.clipboard.readText(), '{\n  \n  "a": [1, 2], \n  "b": "cut,"}\n');
    import_strict3.default.equal(document.getText(), TEXT);
    import_strict3.default.equal(document.isDirty, false);
  },
  async "a command on no JSON document says so"() {
    await api();
    await open("notes.txt", "[1,]");
    await messages("showInformationMessage", void 0, async (shown) => {
      await vscode3.commands.executeCommand("jsonRepair.repairDocument");
      import_strict3.default.match(shown[0]?.text ?? "", /works on JSON documents/);
    });
  },
  async "the server's own commands are there for other extensions"() {
    await api();
    const request = { text: "[1,]", rules: ["remove_trailing_commas"] };
    const response = await vscode3.commands.executeCommand("jsonRepair.execute", request);
    import_strict3.default.equal(response.text, "[1]");
  }
};

// test/host/saving.ts
var import_strict4 = __toESM(require("node:assert/strict"));
var vscode4 = __toESM(require("vscode"));
var wholeFile = new vscode4.Range(0, 0, 0, 0);
async function saved(document) {
  await type(document, 0, " ");
  if (!await document.save()) await until("the save", () => !document.isDirty);
  return onDisk(document);
}
async function savedAs(document, expected) {
  const before = document.getText();
  await until(`${document.uri.path} to be saved as ${expected}`, async () => {
    const text = await saved(document);
    if (text.trimStart() === expected.trimStart()) return true;
    import_strict4.default.equal(text.trimStart(), before.trimStart());
    return false;
  });
}
var tests3 = {
  async "nothing is repaired on save by default"() {
    const document = await open("default.json", "[1,]\n");
    await codes(document, ["remove_trailing_commas"]);
    import_strict4.default.equal(await saved(document), " [1,]\n");
  },
  async "fix-all on save under our own kind"() {
    await set("editor.codeActionsOnSave", { "source.fixAll.jsonRepair": "explicit" });
    const document = await open("own.json", "[1,] // a\n");
    await codes(document, ["remove_trailing_commas", "remove_comments"]);
    await savedAs(document, "[1] \n");
  },
  async "fix-all on save under the generic kind keeps comments"() {
    await set("editor.codeActionsOnSave", { "source.fixAll": "explicit" });
    const comma = await open("generic.json", "[1,]\n");
    await codes(comma, ["remove_trailing_commas"]);
    await savedAs(comma, "[1]\n");
    const comment = await open("generic-comment.json", "[1,] // a\n");
    await codes(comment, ["remove_trailing_commas", "remove_comments"]);
    import_strict4.default.equal(await saved(comment), " [1,] // a\n");
  },
  async "fix-all is the whole repair or nothing"() {
    await set("editor.codeActionsOnSave", { "source.fixAll.jsonRepair": "explicit" });
    const doubtful = await open("doubtful.json", "[1,,]\n");
    await codes(doubtful, ["unexpected_character", "remove_trailing_commas"]);
    import_strict4.default.equal(await saved(doubtful), " [1,,]\n");
    import_strict4.default.deepEqual(await actions(doubtful, wholeFile, "source.fixAll.jsonRepair"), []);
  },
  async "onSave repairs a document that is saved by hand"() {
    await set("jsonRepair.onSave", true);
    const document = await open("on-save.json", '{"a": [1, 2,\n');
    await codes(document, ["close_truncated", "remove_trailing_commas"]);
    await savedAs(document, '{"a": [1, 2]}\n');
  },
  async "nothing is repaired while auto save runs"() {
    await set("jsonRepair.onSave", true);
    await set("editor.codeActionsOnSave", { "source.fixAll.jsonRepair": "explicit" });
    const warm = await open("warm.json", "[1,]\n");
    await codes(warm, ["remove_trailing_commas"]);
    await savedAs(warm, "[1]\n");
    await set("files.autoSaveDelay", 100);
    await set("files.autoSave", "afterDelay");
    const document = await open("auto.json", "[1,]\n");
    await codes(document, ["remove_trailing_commas"]);
    await type(document, 2, "2");
    await until("auto save", () => onDisk(document) === "[12,]\n");
    await pause(500);
    import_strict4.default.equal(document.getText(), "[12,]\n");
  },
  async "JSON with comments is saved untouched"() {
    await set("jsonRepair.onSave", true);
    await set("editor.codeActionsOnSave", { "source.fixAll.jsonRepair": "explicit" });
    const warm = await open("warm-too.json", "[1,]\n");
    await codes(warm, ["remove_trailing_commas"]);
    await savedAs(warm, "[1]\n");
    const document = await open("jsconfig.json", '// a\n{ "include": [1,], }\n');
    import_strict4.default.equal(await saved(document), ' // a\n{ "include": [1,], }\n');
  },
  async "there is no formatter conflict by default"() {
    const document = await open("format.json", '{"a":[1]}\n');
    await until("VS Code's own formatter", async () => {
      await vscode4.commands.executeCommand("editor.action.formatDocument");
      return document.getText().includes('\n    "a"');
    });
  },
  async "format on save, with us as the formatter"() {
    await set("jsonRepair.format.enable", true);
    await set("editor.formatOnSave", true);
    await set("[json]", { "editor.defaultFormatter": EXTENSION });
    const document = await open("formatted.json", '{"a":[1,], /* b */}\n');
    await codes(document, ["remove_trailing_commas", "remove_trailing_commas", "remove_comments"]);
    await savedAs(document, '{"a":[1] }\n');
  },
  async "formatting lays out where that is asked for"() {
    await set("jsonRepair.format.enable", true);
    await set("jsonRepair.format.layout", "indent");
    await set("jsonRepair.format.lineWidth", 20);
    await set("[json]", {
      "editor.defaultFormatter": EXTENSION,
      "editor.tabSize": 2,
      "editor.detectIndentation": false
    });
    const document = await open("layout.json", '{"a":[1,2,],"b":{}}\n');
    const expected = '{\n  "a": [1, 2],\n  "b": {}\n}\n';
    await until("the layout", async () => {
      await vscode4.commands.executeCommand("editor.action.formatDocument");
      return document.getText() === expected;
    }).catch(() => import_strict4.default.equal(document.getText(), expected));
  },
  async "formatting is off again with its setting"() {
    await set("jsonRepair.format.enable", true);
    const document = await open("format-off.json", "[1,]\n");
    const format = () => vscode4.commands.executeCommand(
      "vscode.executeFormatDocumentProvider",
      document.uri,
      {
        tabSize: 2,
        insertSpaces: true
      }
    );
    await set("[json]", { "editor.defaultFormatter": EXTENSION });
    await until("our edit", async () => (await format())?.length === 1);
    await set("jsonRepair.format.enable", false);
    await set("[json]", void 0);
    await until("VS Code's own edits", async () => ((await format())?.length ?? 0) > 1);
  }
};

// test/host/servers.ts
var import_strict5 = __toESM(require("node:assert/strict"));
var import_node_fs2 = require("node:fs");
var vscode5 = __toESM(require("vscode"));
function serverPid() {
  const pids = (0, import_node_fs2.readdirSync)("/proc").filter((name) => /^\d+$/.test(name));
  const isOurs = (pid) => {
    try {
      const [, parent] = /^PPid:\t(\d+)$/m.exec((0, import_node_fs2.readFileSync)(`/proc/${pid}/status`, "utf8")) ?? [];
      const [program] = (0, import_node_fs2.readFileSync)(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return parent === String(process.pid) && program?.endsWith("/json-repair-lsp");
    } catch {
      return false;
    }
  };
  return pids.filter(isOurs).map(Number)[0];
}
var tests4 = {
  async "a server that is killed is started again"() {
    const document = await open("killed.json", "[1,]");
    await codes(document, ["remove_trailing_commas"]);
    const before = await until("a server", serverPid);
    process.kill(before, "SIGKILL");
    const after = await until("another server", () => {
      const pid = serverPid();
      return pid !== before && pid;
    });
    import_strict5.default.notEqual(after, before);
    await codes(document, ["remove_trailing_commas"]);
    await type(document, 0, "[");
    await codes(document, ["close_truncated", "remove_trailing_commas"]);
  },
  async "Restart Server restarts it"() {
    const document = await open("restarted.json", "[1,]");
    const before = await until("a server", serverPid);
    await vscode5.commands.executeCommand("jsonRepair.restartServer");
    const after = await until("another server", serverPid);
    import_strict5.default.notEqual(after, before);
    await codes(document, ["remove_trailing_commas"]);
  },
  async "several restarts at once leave one server"() {
    await api();
    await Promise.all([1, 2, 3].map(() => vscode5.commands.executeCommand("jsonRepair.restartServer")));
    const document = await open("restarts.json", "[1,]");
    await codes(document, ["remove_trailing_commas"]);
  },
  async "a server that is missing is said, with what to do"() {
    const { server, status } = await api();
    await messages("showErrorMessage", void 0, async (shown) => {
      await set("jsonRepair.server.path", "/nowhere/json-repair-lsp");
      const { text, buttons } = await until("the message", () => shown[0]);
      import_strict5.default.match(text, /jsonRepair\.server\.path leads to no file: \/nowhere\/json-repair-lsp/);
      import_strict5.default.deepEqual(buttons, ["Open Setting", "Try Again"]);
      import_strict5.default.equal(server.state.kind, "missing");
      await open("missing.json", "[1,]");
      await until("the status", () => status.text === "Server not found");
      await vscode5.commands.executeCommand("jsonRepair.previewRepair");
      await vscode5.commands.executeCommand("jsonRepair.copyRepairedText");
      import_strict5.default.match(shown.at(-1)?.text ?? "", /not running/);
    });
    await set("jsonRepair.server.path", void 0);
    await until("the server", () => server.state.kind === "running");
  },
  async "a server that does not start is said once"() {
    const { server } = await api();
    const impostors = {
      exits: "#!/bin/sh\nexit 3\n",
      talks: "#!/bin/sh\necho hello\n",
      "is-no-program": "hello"
    };
    for (const [name, text] of Object.entries(impostors)) {
      const impostor = fileUri(name).fsPath;
      (0, import_node_fs2.writeFileSync)(impostor, text, { mode: name === "is-no-program" ? 420 : 493 });
      await messages("showErrorMessage", void 0, async (shown) => {
        await set("jsonRepair.server.path", impostor);
        await until("the failure", () => shown.length > 0 && server.state.kind === "failed");
        import_strict5.default.deepEqual(
          shown.map(({ buttons }) => buttons),
          [["Show Output", "Open Setting"]]
        );
        import_strict5.default.match(shown[0]?.text ?? "", new RegExp(`does not start: .*${name}: `));
      });
    }
    await set("jsonRepair.server.path", void 0);
    await until("the server", () => server.state.kind === "running");
  },
  async "a server that keeps dying is left alone in the end"() {
    const { server } = await api();
    await messages("showErrorMessage", void 0, async (shown) => {
      const runningPid = () => server.state.kind === "running" ? serverPid() : void 0;
      let pid = await until("a server", runningPid);
      for (let crash = 0; crash < 6 && server.state.kind !== "failed"; crash++) {
        const killed = pid;
        process.kill(killed, "SIGKILL");
        await until("what comes of it", () => {
          pid = runningPid() ?? killed;
          return server.state.kind === "failed" || pid !== killed;
        });
      }
      import_strict5.default.equal(server.state.kind, "failed");
      import_strict5.default.match(shown[0]?.text ?? "", /stays down/);
    });
    await vscode5.commands.executeCommand("jsonRepair.restartServer");
    import_strict5.default.equal(server.state.kind, "running");
  }
};

// test/host/views.ts
var import_strict6 = __toESM(require("node:assert/strict"));
var vscode6 = __toESM(require("vscode"));
var visible = (scheme) => vscode6.window.visibleTextEditors.map(({ document }) => document).find(({ uri }) => uri.scheme === scheme);
var statusIs = async (expected) => {
  const { status } = await api();
  const matches = () => typeof expected === "string" ? status.text === expected : expected.test(status.text);
  await until(`status ${expected}`, matches).catch(() => import_strict6.default.equal(status.text, String(expected)));
};
var tests5 = {
  async "the preview is a diff against the repair, and keeps up"() {
    const document = await open("preview.json", '{"a": [1,], // b\n');
    await vscode6.commands.executeCommand("jsonRepair.previewRepair");
    const preview = await until("the preview", () => visible("json-repair-preview"));
    import_strict6.default.equal(preview.getText(), '{"a": [1] }\n');
    import_strict6.default.equal(preview.languageId, "json");
    const tab = vscode6.window.tabGroups.activeTabGroup.activeTab;
    import_strict6.default.ok(tab?.input instanceof vscode6.TabInputTextDiff, "a diff editor is open");
    import_strict6.default.equal(tab.input.original.toString(), document.uri.toString());
    import_strict6.default.equal(tab.label, "preview.json \u2194 repaired");
    await type(document, 8, ", 2");
    await type(document, 11, ", 3");
    await until("the preview to keep up", () => preview.getText() === '{"a": [1, 2, 3] }\n').catch(
      () => import_strict6.default.equal(preview.getText(), '{"a": [1, 2, 3] }\n')
    );
    await vscode6.commands.executeCommand("jsonRepair.repairDocument", preview.uri);
    await until("the repair", () => document.getText() === preview.getText());
  },
  async "an untitled document has a preview"() {
    const document = await vscode6.workspace.openTextDocument({ language: "json", content: "[1,]" });
    await vscode6.window.showTextDocument(document);
    await vscode6.commands.executeCommand("jsonRepair.previewRepair");
    const preview = await until("the preview", () => visible("json-repair-preview"));
    import_strict6.default.equal(preview.getText(), "[1]");
    import_strict6.default.equal(preview.languageId, "json");
  },
  async "the edit log lists every edit and leads to its place"() {
    const document = await open("log.json", '{\n  "a": [1,], // b\n  "c": "d\n');
    await vscode6.commands.executeCommand("jsonRepair.showEditLog");
    const log = await until("the log", () => visible("json-repair-log"));
    import_strict6.default.deepEqual(log.getText().split("\n"), [
      "3 edits would make log.json valid JSON.",
      "",
      '2:10  remove_trailing_commas  - ","',
      '2:14  remove_comments         - "// b"',
      '3:10  close_truncated         + "\\"}"',
      ""
    ]);
    const links = await until("links", async () => {
      const found = await vscode6.commands.executeCommand(
        "vscode.executeLinkProvider",
        log.uri
      );
      return found.length === 3 && found;
    });
    const target = links[1]?.target;
    import_strict6.default.ok(target);
    const [, query] = [target.path, JSON.parse(target.query)];
    await vscode6.commands.executeCommand(target.path, ...query);
    const editor = vscode6.window.activeTextEditor;
    import_strict6.default.equal(editor?.document, document);
    import_strict6.default.equal(document.getText(editor.selection), "// b");
    await type(document, 0, "\n");
    await until("the log to keep up", () => log.getText().includes("\n3:10  remove_trailing_commas"));
  },
  async "the status item says how the document stands"() {
    const document = await open("status.json", "[1]");
    await statusIs("Valid JSON");
    await type(document, 2, ",");
    await statusIs("1 edit would make it valid");
    await type(document, 3, ",");
    await statusIs(/^Stopped at 1:5: [^(]+$/);
    await set("jsonRepair.rules", []);
    await statusIs(/^Stopped at 1:4: [^(]+$/);
    await open("empty.json", "\n");
    await statusIs("Nothing to check");
  },
  async "it does so without diagnostics, too"() {
    await set("jsonRepair.diagnostics.enable", false);
    const document = await open("quiet.json", "[1,]]");
    await codes(document, []);
    await statusIs("Stopped at 1:5: trailing content");
  }
};

// test/host/index.ts
async function run() {
  console.log(`host: VS Code ${vscode7.version}, remote ${vscode7.env.remoteName}, node ${process.version}`);
  const only = process.env["JSON_REPAIR_ONLY"] ?? "";
  let passed = 0;
  let failed = 0;
  for (const [name, test] of Object.entries({ ...tests, ...tests2, ...tests3, ...tests5, ...tests4 })) {
    if (!name.includes(only)) continue;
    const start = Date.now();
    try {
      await test();
      passed += 1;
      console.log(`ok - ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`not ok - ${name}
${error.stack}`);
    }
    await reset().catch((error) => console.log(`host: cannot tidy up: ${error}`));
  }
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) throw new Error(`${failed} failed`);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  run
});
