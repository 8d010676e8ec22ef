// What VS Code runs: every test, one after the other, in one window.

import * as vscode from "vscode";

import { tests as documents } from "./documents";
import { tests as hints } from "./hints";
import { tests as repairs } from "./repairs";
import { tests as saving } from "./saving";
import { tests as servers } from "./servers";
import { tests as views } from "./views";
import { reset } from "./workbench";

export async function run(): Promise<void> {
  console.log(`host: VS Code ${vscode.version}, remote ${vscode.env.remoteName}, node ${process.version}`);
  const only = process.env["JSON_REPAIR_ONLY"] ?? "";
  let passed = 0;
  let failed = 0;
  for (const [name, test] of Object.entries({
    ...documents,
    ...hints,
    ...repairs,
    ...saving,
    ...views,
    ...servers,
  })) {
    if (!name.includes(only)) continue;
    const start = Date.now();
    try {
      await test();
      passed += 1;
      console.log(`ok - ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`not ok - ${name}\n${(error as Error).stack}`);
    }
    await reset().catch((error: unknown) => console.log(`host: cannot tidy up: ${error}`));
  }
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) throw new Error(`${failed} failed`);
}
