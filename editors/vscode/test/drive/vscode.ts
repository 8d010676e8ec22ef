// The real VS Code: the server inside the code-server package, and its
// workbench in Chromium.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { type BrowserContext, type Page, chromium } from "playwright-core";

/** Settings that keep VS Code from showing anything that is not about JSON. */
const QUIET = {
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
  "workbench.startupEditor": "none",
};

/** What a run of VS Code needs. */
export interface Setup {
  readonly settings: Record<string, unknown>;
  /** The files of the workspace. */
  readonly files: Record<string, string>;
  /** A packaged extension to install. */
  readonly vsix?: string;
  /** The folder of an extension to load as it is, and its tests to run. */
  readonly development?: { readonly folder: string; readonly tests: string };
  /** The file to open. */
  readonly open?: string;
  /** Whether the server is on the PATH. */
  readonly hasServerOnPath: boolean;
  /** What VS Code's server, and with it ours, finds in its environment besides. */
  readonly environment?: Record<string, string>;
  /** Whether the workspace is one that nobody has said to trust. */
  readonly isUntrusted?: boolean;
  readonly viewport: { readonly width: number; readonly height: number };
}

/** What must be there: told by whoever runs the tests. */
function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

/** A running VS Code. */
export class VSCode {
  readonly #folder: string;
  readonly #server: ChildProcess;
  readonly #browser: BrowserContext;
  readonly page: Page;
  readonly workspace: string;

  private constructor(folder: string, server: ChildProcess, browser: BrowserContext, page: Page) {
    this.#folder = folder;
    this.#server = server;
    this.#browser = browser;
    this.page = page;
    this.workspace = join(folder, "workspace");
  }

  /** Starts VS Code; `prepare` sees the page before anything is loaded. */
  static async start(setup: Setup, prepare?: (page: Page) => Promise<void>): Promise<VSCode> {
    const folder = mkdtempSync(join(tmpdir(), "json-repair-vscode-"));
    const node = given("JSON_REPAIR_NODE");
    const main = join(given("JSON_REPAIR_CODE_SERVER"), "lib/vscode/out/server-main.js");
    const lay = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    // A path of a program is a setting of the machine that VS Code's server is on.
    const settings = JSON.stringify({ ...QUIET, ...setup.settings }, null, 2);
    for (const place of ["User", "Machine"]) lay(join("user", place, "settings.json"), settings);
    for (const [name, text] of Object.entries(setup.files)) lay(join("workspace", name), text);
    mkdirSync(join(folder, "extensions"));

    const serverFolder = setup.hasServerOnPath ? [dirname(given("JSON_REPAIR_LSP"))] : [];
    const env = {
      ...process.env,
      EXTENSIONS_GALLERY: "{}",
      HOME: folder,
      PATH: [...serverFolder, process.env["PATH"]].join(delimiter),
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_DATA_HOME: join(folder, "data"),
      ...setup.environment,
    };
    const common = ["--accept-server-license-terms", "--telemetry-level", "off"];
    common.push("--server-data-dir", join(folder, "server"), "--user-data-dir", join(folder, "user"));
    common.push("--extensions-dir", join(folder, "extensions"));
    if (setup.vsix) {
      const installed = spawnSync(node, [main, ...common, "--install-extension", setup.vsix], {
        env,
        encoding: "utf8",
      });
      if (installed.status !== 0)
        throw new Error(`${setup.vsix} is not installed: ${installed.stdout}${installed.stderr}`);
    }
    const port = await freePort();
    const args = ["--host", "127.0.0.1", "--port", String(port), "--without-connection-token"];
    if (!setup.isUntrusted) args.push("--disable-workspace-trust");
    // A login shell would put the system's PATH in the place of ours.
    args.push("--force-disable-user-env");
    // Without the smoke test driver, VS Code passes over a folder of tests
    // without a word; with it, it shows no notifications.
    if (setup.development) args.push("--enable-smoke-test-driver");
    const server = spawn(node, [main, ...common, ...args], { env, stdio: "ignore", detached: true });
    try {
      await answers(`http://127.0.0.1:${port}/version`);
      const browser = await chromium.launchPersistentContext(join(folder, "chromium"), {
        executablePath: given("JSON_REPAIR_CHROMIUM"),
        viewport: setup.viewport,
        permissions: ["clipboard-read", "clipboard-write"],
        args: [
          "--no-sandbox",
          "--disable-gpu",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-sync",
        ],
      });
      const page = browser.pages()[0] ?? (await browser.newPage());
      page.setDefaultTimeout(30_000);
      await prepare?.(page);
      const remote = (path: string) => `vscode-remote://127.0.0.1:${port}${path}`;
      const payload = [
        ["skipWelcome", "true"],
        ["skipReleaseNotes", "true"],
      ];
      if (setup.development) {
        payload.push(["extensionDevelopmentPath", remote(setup.development.folder)]);
        payload.push(["extensionTestsPath", remote(setup.development.tests)]);
      }
      const workspace = join(folder, "workspace");
      if (setup.open) payload.push(["openFile", remote(join(workspace, setup.open))]);
      const query = new URLSearchParams({ folder: workspace, payload: JSON.stringify(payload) });
      await page.goto(`http://127.0.0.1:${port}/?${query.toString().replaceAll("+", "%20")}`);
      await page.waitForSelector(".monaco-workbench");
      return new VSCode(folder, server, browser, page);
    } catch (error) {
      await end(server);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await end(this.#server);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  return new Promise(resolve => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 150; attempt++) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await pause(200);
  }
  throw new Error(`${url} does not answer`);
}

/** Ends VS Code's server and all that it has started: they are one process group. */
async function end(server: ChildProcess): Promise<void> {
  const { pid } = server;
  if (pid === undefined) return;
  const signal = (name: NodeJS.Signals | 0) => {
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

export function pause(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds));
}
