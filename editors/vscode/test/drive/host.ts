// Runs the tests of test/host inside the extension host of a real VS Code.

import { resolve } from "node:path";

import { VSCode } from "./vscode";

const PATIENCE = 300_000;

async function main(): Promise<number> {
  let ended: (code: number) => void;
  const code = new Promise<number>(resolve => (ended = resolve));
  const vscode = await VSCode.start(
    {
      settings: { "json.validate.enable": false },
      files: { "README.md": "The tests write their own files.\n" },
      development: { folder: resolve("."), tests: resolve("dist/test/host/index") },
      hasServerOnPath: true,
      viewport: { width: 1280, height: 800 },
    },
    async page => {
      // VS Code calls these two where tests are run.
      await page.exposeFunction("codeAutomationExit", (code: number) => ended(code));
      await page.exposeFunction("codeAutomationLog", (_type: string, args: unknown[]) => {
        const line = args.map(String).join(" ");
        if (process.env["JSON_REPAIR_VERBOSE"] || /^(ok|not ok|host|\d+ passed)/.test(line))
          console.log(line);
      });
    },
  );
  const late = new Promise<number>((_, reject) => {
    setTimeout(() => reject(new Error(`the tests do not end within ${PATIENCE / 1000} s`)), PATIENCE);
  });
  try {
    return await Promise.race([code, late]);
  } finally {
    await vscode.close();
  }
}

main().then(
  code => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
