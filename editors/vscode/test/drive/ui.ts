// One run through the packaged extension as a person sees it: what must be
// seen is waited for, and leaves a screenshot.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Locator, Page } from "playwright-core";

import { type Setup, VSCode, pause } from "./vscode";

const SAMPLE = `{
  // exported by the shop
  "order": 1043,
  "items": [
    { "sku": "A-17", "count": 2 },
    { "sku": "B-02", "count": 1 },
  ],
  "note": "please leave it at the do`;

const REPAIRED = `{
  ${""}
  "order": 1043,
  "items": [
    { "sku": "A-17", "count": 2 },
    { "sku": "B-02", "count": 1 }
  ],
  "note": "please leave it at the do"}`;

const SETTINGS = {
  "breadcrumbs.enabled": false,
  "diffEditor.renderSideBySide": true,
  "diffEditor.useInlineViewWhenSpaceIsLimited": false,
  "editor.fontSize": 14,
  "editor.minimap.enabled": false,
  "editor.lightbulb.enabled": "on",
  // The offer to end double reports is tested inside VS Code: here its toast
  // would come and go over what is seen.
  "json.validate.enable": false,
  "workbench.activityBar.location": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
};

type Steps = Record<string, () => Promise<void>>;

/** What a person does with the keyboard. */
function keyboardOf(page: Page) {
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const choose = async (key: string, text: string) => {
    await press(key);
    await page.locator(".quick-input-widget input").waitFor();
    await page.keyboard.type(text);
    await page.locator(`.quick-input-list .monaco-list-row[aria-label*="${text}"]`).first().waitFor();
    await press("Enter");
  };
  return {
    press,
    palette: (command: string) => choose("F1", command),
    open: (name: string) => choose("Control+p", name),
  };
}

/** The screenshots of one run. */
class Pictures {
  readonly #page: Page;
  readonly #folder: string;

  constructor(page: Page, folder: string) {
    this.#page = page;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  async take(name: string): Promise<void> {
    // Animations end, and a hover that was on its way is there.
    await pause(600);
    await this.#page.screenshot({ path: join(this.#folder, `${name}.png`) });
  }
}

/** The steps: each sees something, and leaves the workbench for the next. */
function steps(vscode: VSCode, pictures: Pictures): Steps {
  const { page } = vscode;
  const editor = page.locator('.editor-instance .monaco-editor[data-uri$="order.json"]');
  const file = join(vscode.workspace, "order.json");
  const { press, palette } = keyboardOf(page);
  const status = page.locator("#status\\.languageStatus");

  return {
    async squiggles() {
      await editor.locator(".view-line").first().waitFor();
      await press("Control+b");
      // The last token, the comma and the comment.
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
      assert.match(await zone.innerText(), /json-repair/);
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
      await page.locator(".tab", { hasText: "order.json ↔ repaired" }).waitFor();
      const repaired = diff.locator(".modified .view-line", { hasText: 'at the do"}' });
      await repaired.waitFor();
      await page.locator('.editor-actions [aria-label*="Repair Document"]').first().waitFor();
      // The status item's list goes away.
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
      await page.locator(".tab", { hasText: "order.json ↔ repaired" }).click({ button: "middle" });
    },

    async "the edit log"() {
      await clickLine(editor, "B-02");
      await palette("JSON Repair: Show Edit Log");
      const log = page.locator('.editor-instance .monaco-editor[data-uri^="json-repair-log"]');
      await log.locator(".view-line", { hasText: "3 edits would make order.json valid JSON." }).waitFor();
      await atLeast(log.locator(".detected-link"), 3);
      await pictures.take("edit-log");
      await log
        .locator(".detected-link")
        .nth(1)
        .click({ modifiers: ["Control"] });
      await page.waitForFunction(() => document.activeElement?.closest('[data-uri$="order.json"]') !== null);
    },

    async "the repair"() {
      await clickLine(editor, "B-02");
      await palette("JSON Repair: Repair Document");
      await page.locator(".statusbar-item", { hasText: "3 edits, valid JSON" }).waitFor();
      await pictures.take("repaired");
      await press("Control+s");
      await until(() => readFileSync(file, "utf8") === REPAIRED);
      await page.waitForFunction(() => document.querySelectorAll(".squiggly-error").length === 0);
    },
  };
}

const LINES = `{"at": 1, "tags": ["a", "b",]}
{"at": 2, "tags": ["c"]}
{"at": 3, "tags": ["d",], "by": me}
{"at": 4, "tags": ["e", "f`;

const CONFIG = `{ // where it runs
"port":8080,"hosts":["a.test","b.test",], // both
/* seconds */
"timeout":2.50,"retry":{"times":3,"pauses":[1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384]}}
`;

const CONFIG_LAID_OUT = `{ // where it runs
  "port": 8080,
  "hosts": ["a.test", "b.test",], // both
  /* seconds */
  "timeout": 2.50,
  "retry": {
    "times": 3,
    "pauses": [
      1,
      2,
      4,
      8,
      16,
      32,
      64,
      128,
      256,
      512,
      1024,
      2048,
      4096,
      8192,
      16384
    ]
  }
}
`;

/** The environment variable that makes a server slow that is built for debugging. */
const SLOW = "JSON_REPAIR_LSP_DEBUG_PASS_STEP";

/** Everything that is off by default, turned on. */
const EVERYTHING: Partial<Setup> = {
  settings: {
    "editor.tabSize": 2,
    "editor.detectIndentation": false,
    "jsonRepair.codeLens.enable": true,
    "jsonRepair.documentSymbol.enable": true,
    "jsonRepair.foldingRange.enable": true,
    "jsonRepair.inlayHint.enable": true,
    "jsonRepair.format.enable": true,
    "jsonRepair.format.layout": "indent",
    "[jsonc]": { "editor.defaultFormatter": "json-repair-lsp.json-repair-lsp" },
  },
  files: {
    "order.json": SAMPLE,
    "log.jsonl": LINES,
    "config.jsonc": CONFIG,
    // VS Code calls a file large from 300,000 lines on.
    "big.json": `[\n${"12345678,\n".repeat(200_000)}1,]\n`,
  },
  environment: { [SLOW]: "100" },
  viewport: { width: 860, height: 460 },
};

function stepsWithEverything(vscode: VSCode, pictures: Pictures): Steps {
  const { page } = vscode;
  const { press, palette, open } = keyboardOf(page);
  const editorOf = (name: string) => page.locator(`.editor-instance .monaco-editor[data-uri$="${name}"]`);
  const order = editorOf("order.json");
  const onDisk = (name: string) => readFileSync(join(vscode.workspace, name), "utf8");
  const lens = order.locator(".codelens-decoration a", { hasText: "Repair JSON: 3 edits" });

  return {
    async "the code lens and the inlay hint"() {
      await lens.waitFor();
      await press("Control+b");
      await order.locator(".view-line", { hasText: 'at the do"}' }).waitFor();
      await pictures.take("hints");
    },

    async "the hover"() {
      const line = order.locator(".view-line", { hasText: "exported" });
      const hover = page.locator(".monaco-hover", { hasText: "remove_comments" });
      await line.hover({ position: { x: 80, y: 8 }, force: true });
      await hover.waitFor();
      await pictures.take("hover");
      await press("Escape");
    },

    async "the code lens repairs"() {
      await lens.click();
      await lens.waitFor({ state: "detached" });
      await clickLine(order, "B-02");
      await press("Control+s");
      await until(() => onDisk("order.json") === REPAIRED);
    },

    async "JSON Lines"() {
      await open("log.jsonl");
      const lines = editorOf("log.jsonl");
      await atLeast(lines.locator(".squiggly-error"), 4);
      await lines.locator(".view-line", { hasText: '"f"]}' }).waitFor();
      await lines.locator(".codelens-decoration a", { hasText: "Repair JSON: 3 edits" }).waitFor();
      await clickLine(lines, '"at": 3');
      await press("End", "Control+Period");
      await page.locator(".action-widget .monaco-list-row", { hasText: "Repair JSON: 3 edits" }).waitFor();
      await pictures.take("lines");
      await press("Escape");
      await palette("JSON Repair: Show Edit Log");
      const log = page.locator('.editor-instance .monaco-editor[data-uri^="json-repair-log"]');
      await log.locator(".view-line", { hasText: "Line 3: 1 edit would not be enough" }).waitFor();
      await atLeast(log.locator(".detected-link"), 4);
      await pictures.take("lines-log");
      await page.locator(".tab", { hasText: "Edits of log.jsonl" }).click({ button: "middle" });
      await clickLine(lines, '"at": 3');
      await palette("JSON Repair: Preview Repair");
      const repaired = page.locator(".monaco-diff-editor .modified .view-line", { hasText: '"f"]}' });
      await repaired.waitFor();
      await pictures.take("lines-preview");
      await page.locator(".tab", { hasText: "log.jsonl ↔ repaired" }).click({ button: "middle" });
    },

    async "the page on a defect"() {
      const word = editorOf("log.jsonl")
        .locator(".view-line span", { hasText: /^me\}?$/ })
        .last();
      await word.hover({ position: { x: 5, y: 8 }, force: true });
      const code = page.locator(".monaco-hover .code-link", { hasText: "unexpected_character" });
      await code.first().waitFor();
      await pictures.take("defect");
      await code.first().click();
      const tab = page.locator(".tab", { hasText: "defects.md" });
      await tab.waitFor();
      await editorOf("defects.md").locator(".view-line", { hasText: "unquoted-string" }).waitFor();
      await pictures.take("defect-page");
      await tab.click({ button: "middle" });
    },

    async "the outline of broken text"() {
      await open("log.jsonl");
      await clickLine(editorOf("log.jsonl"), '"at": 3');
      await press("Control+Shift+o");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "tags" }).first().waitFor();
      await pictures.take("outline");
      await press("Escape");
    },

    async "the layout of JSON with comments"() {
      await open("config.jsonc");
      const config = editorOf("config.jsonc");
      await clickLine(config, "where it runs");
      await pictures.take("layout-before");
      await palette("Format Document");
      await config.locator(".view-line", { hasText: '"timeout": 2.50,' }).waitFor();
      await pictures.take("layout");
      await press("Control+s");
      await until(() => onDisk("config.jsonc") === CONFIG_LAID_OUT);
    },

    async "the progress of a long first pass, and its end by a person"() {
      if (!isSlowServer()) {
        console.log("not run - progress as it is seen: the server is no build for debugging");
        return;
      }
      await open("big.json");
      const reading = page.locator(".statusbar-item", { hasText: "Reading big.json" });
      await reading.waitFor();
      await pictures.take("progress");
      await reading.click();
      const notification = page.locator(".notification-list-item", { hasText: "Reading big.json" });
      const cancel = notification.locator(".monaco-button", { hasText: "Cancel" });
      await cancel.waitFor();
      await pictures.take("progress-cancel");
      await cancel.click();
      await reading.waitFor({ state: "detached" });
    },
  };
}

/** Whether the server can be made slow. */
function isSlowServer(): boolean {
  return readFileSync(process.env["JSON_REPAIR_LSP"] ?? "").includes(SLOW);
}

/** The same without a server. */
function stepsWithoutServer({ page }: VSCode, pictures: Pictures): Steps {
  return {
    async "the message that the server is missing"() {
      const message = page.locator(".notification-toast", {
        hasText: "leads to no file: /opt/json-repair-lsp",
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
      await page
        .locator('.quick-input-list .monaco-list-row[aria-label*="Open Walkthrough"]')
        .first()
        .waitFor();
      await page.keyboard.press("Enter");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "JSON Repair" }).first().click();
      await page.locator(".getting-started-step", { hasText: "Look before you repair" }).click();
      await page.setViewportSize({ width: 1200, height: 620 });
      await page.locator(".getting-started-media img").first().waitFor();
      await pictures.take("walkthrough");
    },
  };
}

/** A workspace that would have its own program run as the server. */
const HOSTILE = {
  ".vscode/settings.json": '{ "jsonRepair.server.path": "${workspaceFolder}/hostile" }',
  hostile: "#!/bin/sh\ntouch ran\n",
};

/** A workspace that nobody has said to trust. */
function stepsWithoutTrust({ page }: VSCode, pictures: Pictures): Steps {
  return {
    async "an untrusted workspace does not choose the server"() {
      await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
      // Only a server's report makes this button.
      await page.locator('.editor-actions [aria-label*="Preview Repair"]').first().waitFor();
      assert.equal(await page.locator(".notification-toast", { hasText: "leads to no file" }).count(), 0);
      await pictures.take("untrusted");
    },
  };
}

/** Puts the cursor on a line, which the editor may draw anew at any time. */
async function clickLine(editor: Locator, text: string): Promise<void> {
  const line = editor.locator(".view-line", { hasText: text }).first();
  await line.waitFor();
  await line.click({ position: { x: 40, y: 5 }, force: true });
}

async function atLeast(locator: Locator, count: number): Promise<void> {
  await locator.nth(count - 1).waitFor({ state: "attached" });
}

async function until(probe: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (probe()) return;
    await pause(100);
  }
  throw new Error("waited in vain");
}

/** Takes the steps of one VS Code, up to the first that fails; how many passed and failed. */
async function run(
  stepsOf: (vscode: VSCode, pictures: Pictures) => Steps,
  differences: Partial<Setup> = {},
): Promise<[number, number]> {
  const folder = process.env["JSON_REPAIR_PICTURES"] ?? "dist/pictures";
  const vsix = process.env["JSON_REPAIR_VSIX"];
  assert.ok(vsix, "JSON_REPAIR_VSIX is not set");
  const vscode = await VSCode.start({
    vsix,
    files: { "order.json": SAMPLE },
    open: "order.json",
    hasServerOnPath: false,
    viewport: { width: 860, height: 400 },
    ...differences,
    settings: { ...SETTINGS, ...differences.settings },
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
        console.log(`not ok - ${name}\n${error}`);
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

async function main(): Promise<number> {
  const runs = [
    await run(steps),
    await run(stepsWithEverything, EVERYTHING),
    await run(stepsWithoutServer, { settings: { "jsonRepair.server.path": "/opt/json-repair-lsp" } }),
    await run(stepsWithoutTrust, { files: { "order.json": SAMPLE, ...HOSTILE }, isUntrusted: true }),
  ];
  const [passed, failed] = [0, 1].map(which => runs.reduce((sum, counts) => sum + (counts[which] ?? 0), 0));
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

main().then(
  code => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
