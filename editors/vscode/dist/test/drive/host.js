"use strict";

// test/drive/host.ts
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
  return new Promise((resolve2) => {
    const probe = (0, import_node_net.createServer)().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve2(port));
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
  return new Promise((resolve2) => setTimeout(resolve2, milliseconds));
}

// test/drive/host.ts
var PATIENCE = 18e4;
async function main() {
  let ended;
  const code = new Promise((resolve2) => ended = resolve2);
  const vscode = await VSCode.start(
    {
      settings: { "json.validate.enable": false },
      files: { "README.md": "The tests write their own files.\n" },
      development: { folder: (0, import_node_path2.resolve)("."), tests: (0, import_node_path2.resolve)("dist/test/host/index") },
      hasServerOnPath: true,
      viewport: { width: 1280, height: 800 }
    },
    async (page) => {
      await page.exposeFunction("codeAutomationExit", (code2) => ended(code2));
      await page.exposeFunction("codeAutomationLog", (_type, args) => {
        const line = args.map(String).join(" ");
        if (process.env["JSON_REPAIR_VERBOSE"] || /^(ok|not ok|host|\d+ passed)/.test(line))
          console.log(line);
      });
    }
  );
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`the tests do not end within ${PATIENCE / 1e3} s`)), PATIENCE);
  });
  try {
    return await Promise.race([code, late]);
  } finally {
    await vscode.close();
  }
}
main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error);
    process.exit(1);
  }
);
