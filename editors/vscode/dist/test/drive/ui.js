"use strict";
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
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

// test/drive/ui.ts
var import_strict = __toESM(require("node:assert/strict"));
var import_node_fs2 = require("node:fs");
var import_node_path2 = require("node:path");

// test/drive/vscode.ts
var import_node_child_process = require("node:child_process");
var import_node_fs = require("node:fs");
var import_node_net = require("node:net");
var import_node_os = require("node:os");
var import_node_path = require("node:path");
var import_playwright_core = require("playwright-core");
var QUIET = {
  "chat.disableAIFeatures": true,
  "editor.accessibilitySupport": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "remote.autoForwardPorts": false,
  "security.workspace.trust.startupPrompt": "never",
  "telemetry.telemetryLevel": "off",
  "window.commandCenter": false,
  "workbench.enableExperiments": false,
  "workbench.layoutControl.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none"
};
function given(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
var VSCode = class _VSCode {
  #folder;
  #server;
  #browser;
  page;
  workspace;
  constructor(folder, server, browser, page) {
    this.#folder = folder;
    this.#server = server;
    this.#browser = browser;
    this.page = page;
    this.workspace = (0, import_node_path.join)(folder, "workspace");
  }
  /** Starts VS Code; `prepare` sees the page before anything is loaded. */
  static async start(setup, prepare) {
    const folder = (0, import_node_fs.mkdtempSync)((0, import_node_path.join)((0, import_node_os.tmpdir)(), "json-repair-vscode-"));
    const node = given("JSON_REPAIR_NODE");
    const main2 = (0, import_node_path.join)(given("JSON_REPAIR_CODE_SERVER"), "lib/vscode/out/server-main.js");
    const lay = (path, text) => {
      (0, import_node_fs.mkdirSync)((0, import_node_path.dirname)((0, import_node_path.join)(folder, path)), { recursive: true });
      (0, import_node_fs.writeFileSync)((0, import_node_path.join)(folder, path), text);
    };
    const settings = JSON.stringify({ ...QUIET, ...setup.settings }, null, 2);
    for (const place of ["User", "Machine"]) lay((0, import_node_path.join)("user", place, "settings.json"), settings);
    for (const [name, text] of Object.entries(setup.files)) lay((0, import_node_path.join)("workspace", name), text);
    (0, import_node_fs.mkdirSync)((0, import_node_path.join)(folder, "extensions"));
    const serverFolder = setup.hasServerOnPath ? [(0, import_node_path.dirname)(given("JSON_REPAIR_LSP"))] : [];
    const env = {
      ...process.env,
      EXTENSIONS_GALLERY: "{}",
      HOME: folder,
      PATH: [...serverFolder, process.env["PATH"]].join(import_node_path.delimiter),
      XDG_CONFIG_HOME: (0, import_node_path.join)(folder, "config"),
      XDG_DATA_HOME: (0, import_node_path.join)(folder, "data")
    };
    const common = ["--accept-server-license-terms", "--telemetry-level", "off"];
    common.push("--server-data-dir", (0, import_node_path.join)(folder, "server"), "--user-data-dir", (0, import_node_path.join)(folder, "user"));
    common.push("--extensions-dir", (0, import_node_path.join)(folder, "extensions"));
    if (setup.vsix) {
      const installed = (0, import_node_child_process.spawnSync)(node, [main2, ...common, "--install-extension", setup.vsix], {
        env,
        encoding: "utf8"
      });
      if (installed.status !== 0)
        throw new Error(`${setup.vsix} is not installed: ${installed.stdout}${installed.stderr}`);
    }
    const port = await freePort();
    const args = ["--host", "127.0.0.1", "--port", String(port), "--without-connection-token"];
    if (!setup.isUntrusted) args.push("--disable-workspace-trust");
    args.push("--force-disable-user-env");
    if (setup.development) args.push("--enable-smoke-test-driver");
    const server = (0, import_node_child_process.spawn)(node, [main2, ...common, ...args], { env, stdio: "ignore", detached: true });
    try {
      await answers(`http://127.0.0.1:${port}/version`);
      const browser = await import_playwright_core.chromium.launchPersistentContext((0, import_node_path.join)(folder, "chromium"), {
        executablePath: given("JSON_REPAIR_CHROMIUM"),
        viewport: setup.viewport,
        permissions: ["clipboard-read", "clipboard-write"],
        args: [
          "--no-sandbox",
          "--disable-gpu",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-sync"
        ]
      });
      const page = browser.pages()[0] ?? await browser.newPage();
      page.setDefaultTimeout(3e4);
      await prepare?.(page);
      const remote = (path) => `vscode-remote://127.0.0.1:${port}${path}`;
      const payload = [
        ["skipWelcome", "true"],
        ["skipReleaseNotes", "true"]
      ];
      if (setup.development) {
        payload.push(["extensionDevelopmentPath", remote(setup.development.folder)]);
        payload.push(["extensionTestsPath", remote(setup.development.tests)]);
      }
      const workspace = (0, import_node_path.join)(folder, "workspace");
      if (setup.open) payload.push(["openFile", remote((0, import_node_path.join)(workspace, setup.open))]);
      const query = new URLSearchParams({ folder: workspace, payload: JSON.stringify(payload) });
      await page.goto(`http://127.0.0.1:${port}/?${query.toString().replaceAll("+", "%20")}`);
      await page.waitForSelector(".monaco-workbench");
      return new _VSCode(folder, server, browser, page);
    } catch (error) {
      await end(server);
      throw error;
    }
  }
  async close() {
    await this.#browser.close();
    await end(this.#server);
    (0, import_node_fs.rmSync)(this.#folder, { recursive: true, force: true });
  }
};
async function freePort() {
  return new Promise((resolve) => {
    const probe = (0, import_node_net.createServer)().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
async function answers(url) {
  for (let attempt = 0; attempt < 150; attempt++) {
    const isUp = await fetch(url).then(
      () => true,
      () => false
    );
    if (isUp) return;
    await pause(200);
  }
  throw new Error(`${url} does not answer`);
}
async function end(server) {
  const { pid } = server;
  if (pid === void 0) return;
  const signal = (name) => {
    try {
      return process.kill(-pid, name);
    } catch {
      return false;
    }
  };
  signal("SIGTERM");
  for (let attempt = 0; attempt < 40 && signal(0); attempt++) await pause(100);
  signal("SIGKILL");
}
function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

// test/drive/ui.ts
var SAMPLE = `{
  // exported by the shop
  "order": 1043,
  "items": [
    { "sku": "A-17", "count": 2 },
    { "sku": "B-02", "count": 1 },
  ],
  "note": "please leave it at the do`;
var REPAIRED = `{
  ${""}
  "order": 1043,
  "items": [
    { "sku": "A-17", "count": 2 },
    { "sku": "B-02", "count": 1 }
  ],
  "note": "please leave it at the do"}`;
var SETTINGS = {
  "breadcrumbs.enabled": false,
  "diffEditor.renderSideBySide": true,
  "diffEditor.useInlineViewWhenSpaceIsLimited": false,
  "editor.fontSize": 14,
  "editor.minimap.enabled": false,
  "editor.lightbulb.enabled": "on",
  "workbench.activityBar.location": "hidden",
  "workbench.colorTheme": "Default Dark Modern"
};
var Pictures = class {
  #page;
  #folder;
  constructor(page, folder) {
    this.#page = page;
    this.#folder = folder;
    (0, import_node_fs2.mkdirSync)(folder, { recursive: true });
  }
  async take(name) {
    await pause(600);
    await this.#page.screenshot({ path: (0, import_node_path2.join)(this.#folder, `${name}.png`) });
  }
};
function steps(vscode, pictures) {
  const { page } = vscode;
  const editor = page.locator('.editor-instance .monaco-editor[data-uri$="order.json"]');
  const file = (0, import_node_path2.join)(vscode.workspace, "order.json");
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const palette = async (command) => {
    await press("F1");
    await page.locator(".quick-input-widget input").waitFor();
    await page.keyboard.type(command);
    await page.locator(`.quick-input-list .monaco-list-row[aria-label*="${command}"]`).first().waitFor();
    await press("Enter");
  };
  const status = page.locator("#status\\.languageStatus");
  return {
    async "the offer to end double reports"() {
      await editor.locator(".view-line").first().waitFor();
      await press("Control+b");
      const offer = page.locator(".notification-toast", { hasText: "reports the same problems" });
      await offer.locator(".monaco-button", { hasText: "Keep Both" }).waitFor();
      await pictures.take("double-reports");
      await offer.locator(".monaco-button", { hasText: "Turn Off for This Workspace" }).click();
      await page.locator('.statusbar-item[aria-label*="Problems: 3"], .statusbar-item[aria-label="Errors: 3"]').waitFor();
    },
    async squiggles() {
      await atLeast(page.locator(".squiggly-error"), 3);
      await clickLine(editor, "exported");
      await press("Escape");
      await page.locator('.editor-actions [aria-label*="Preview Repair"]').first().waitFor();
      await pictures.take("squiggles");
    },
    async "the problem in words"() {
      await clickLine(editor, "B-02");
      await press("F8");
      const zone = page.locator(".zone-widget .marker-widget");
      await zone.waitFor();
      import_strict.default.match(await zone.innerText(), /json-repair/);
      await pictures.take("problem");
      await press("Escape");
    },
    async "the quick-fix menu"() {
      await clickLine(editor, "B-02");
      await press("End", "Control+Period");
      const menu = page.locator(".action-widget").first();
      await menu.waitFor();
      await menu.locator(".monaco-list-row", { hasText: "Remove trailing comma" }).waitFor();
      await menu.locator(".monaco-list-row", { hasText: "Repair JSON: 3 edits" }).waitFor();
      await pictures.take("quick-fixes");
      await press("Escape");
    },
    async "the status item"() {
      await status.click();
      const hover = page.locator(".hover-language-status", { hasText: "3 edits would make it valid" });
      await hover.waitFor();
      await pictures.take("status");
      await hover.locator("a", { hasText: "Preview" }).click();
    },
    async "the preview"() {
      const diff = page.locator(".monaco-diff-editor");
      await diff.waitFor();
      await page.locator(".tab", { hasText: "order.json \u2194 repaired" }).waitFor();
      const repaired = diff.locator(".modified .view-line", { hasText: 'at the do"}' });
      await repaired.waitFor();
      await page.locator('.editor-actions [aria-label*="Repair Document"]').first().waitFor();
      await clickLine(diff.locator(".modified"), "B-02");
      await press("Control+Home");
      await pictures.take("preview");
    },
    async "the preview keeps up with typing"() {
      const diff = page.locator(".monaco-diff-editor");
      await clickLine(diff.locator(".original"), "at the do");
      await press("End");
      await page.keyboard.type("or");
      await diff.locator(".modified .view-line", { hasText: 'at the door"}' }).waitFor();
      await press("Backspace", "Backspace");
      await diff.locator(".modified .view-line", { hasText: 'at the do"}' }).waitFor();
      await page.locator(".tab", { hasText: "order.json \u2194 repaired" }).click({ button: "middle" });
    },
    async "the edit log"() {
      await clickLine(editor, "B-02");
      await palette("JSON Repair: Show Edit Log");
      const log = page.locator('.editor-instance .monaco-editor[data-uri^="json-repair-log"]');
      await log.locator(".view-line", { hasText: "3 edits would make order.json valid JSON." }).waitFor();
      await atLeast(log.locator(".detected-link"), 3);
      await pictures.take("edit-log");
      await log.locator(".detected-link").nth(1).click({ modifiers: ["Control"] });
      await page.waitForFunction(() => document.activeElement?.closest('[data-uri$="order.json"]') !== null);
    },
    async "the repair"() {
      await clickLine(editor, "B-02");
      await palette("JSON Repair: Repair Document");
      await page.locator(".statusbar-item", { hasText: "3 edits, valid JSON" }).waitFor();
      await pictures.take("repaired");
      await press("Control+s");
      await until(() => (0, import_node_fs2.readFileSync)(file, "utf8") === REPAIRED);
      await page.waitForFunction(() => document.querySelectorAll(".squiggly-error").length === 0);
    }
  };
}
function stepsWithoutServer({ page }, pictures) {
  return {
    async "the message that the server is missing"() {
      const message = page.locator(".notification-toast", {
        hasText: "leads to no file: /opt/json-repair-lsp"
      });
      await message.locator(".monaco-button", { hasText: "Try Again" }).waitFor();
      await page.keyboard.press("Control+b");
      await pictures.take("missing-server");
      await message.locator(".monaco-button", { hasText: "Open Setting" }).click();
      await page.locator(".settings-editor", { hasText: "Path of the json-repair-lsp binary" }).waitFor();
      await pictures.take("settings");
      await page.keyboard.press("Escape");
    },
    async "the walkthrough"() {
      await page.keyboard.press("F1");
      await page.keyboard.type("Welcome: Open Walkthrough");
      await page.locator('.quick-input-list .monaco-list-row[aria-label*="Open Walkthrough"]').first().waitFor();
      await page.keyboard.press("Enter");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "JSON Repair" }).first().click();
      await page.locator(".getting-started-step", { hasText: "Look before you repair" }).click();
      await page.setViewportSize({ width: 1200, height: 620 });
      await page.locator(".getting-started-media img").first().waitFor();
      await pictures.take("walkthrough");
    }
  };
}
var HOSTILE = {
  ".vscode/settings.json": '{ "jsonRepair.server.path": "${workspaceFolder}/hostile" }',
  hostile: "#!/bin/sh\ntouch ran\n"
};
function stepsWithoutTrust({ page }, pictures) {
  return {
    async "an untrusted workspace does not choose the server"() {
      await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
      await page.locator('.editor-actions [aria-label*="Preview Repair"]').first().waitFor();
      import_strict.default.equal(await page.locator(".notification-toast", { hasText: "leads to no file" }).count(), 0);
      await pictures.take("untrusted");
    }
  };
}
async function clickLine(editor, text) {
  const line = editor.locator(".view-line", { hasText: text }).first();
  await line.waitFor();
  await line.click({ position: { x: 40, y: 5 }, force: true });
}
async function atLeast(locator, count) {
  await locator.nth(count - 1).waitFor({ state: "attached" });
}
async function until(probe) {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (probe()) return;
    await pause(100);
  }
  throw new Error("waited in vain");
}
async function run(stepsOf, differences = {}) {
  const folder = process.env["JSON_REPAIR_PICTURES"] ?? "dist/pictures";
  const vsix = process.env["JSON_REPAIR_VSIX"];
  import_strict.default.ok(vsix, "JSON_REPAIR_VSIX is not set");
  const vscode = await VSCode.start({
    vsix,
    files: { "order.json": SAMPLE },
    open: "order.json",
    hasServerOnPath: false,
    viewport: { width: 860, height: 400 },
    ...differences,
    settings: { ...SETTINGS, ...differences.settings }
  });
  const pictures = new Pictures(vscode.page, folder);
  let passed = 0;
  try {
    for (const [name, step] of Object.entries(stepsOf(vscode, pictures))) {
      const start = Date.now();
      try {
        await step();
      } catch (error) {
        await pictures.take("failed");
        console.log(`not ok - ${name}
${error}`);
        return [passed, 1];
      }
      passed += 1;
      console.log(`ok - ${name} (${Date.now() - start} ms)`);
    }
    return [passed, 0];
  } finally {
    await vscode.close();
  }
}
async function main() {
  const runs = [
    await run(steps),
    await run(stepsWithoutServer, { settings: { "jsonRepair.server.path": "/opt/json-repair-lsp" } }),
    await run(stepsWithoutTrust, { files: { "order.json": SAMPLE, ...HOSTILE }, isUntrusted: true })
  ];
  const [passed, failed] = [0, 1].map((which) => runs.reduce((sum, counts) => sum + (counts[which] ?? 0), 0));
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error);
    process.exit(1);
  }
);
