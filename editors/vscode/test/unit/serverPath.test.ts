import assert from "node:assert/strict";
import { delimiter, join, resolve } from "node:path";
import { test } from "node:test";

import { type Surroundings, findServer } from "../../src/serverPath";

const extensionFolder = resolve("/extension");
const bundled = join(extensionFolder, "server", "json-repair-lsp");
const onPath = join(resolve("/usr/bin"), "json-repair-lsp");

function find(files: string[], surroundings: Partial<Surroundings> = {}) {
  return findServer({
    setting: "",
    extensionFolder,
    workspaceFolder: resolve("/project"),
    homeFolder: resolve("/home/ada"),
    path: ["", "relative", resolve("/bin"), resolve("/usr/bin")].join(delimiter),
    platform: "linux",
    isFile: path => files.includes(path),
    ...surroundings,
  });
}

test("the setting comes first, then the bundled server, then PATH", () => {
  const set = resolve("/opt/server");
  const all = [set, bundled, onPath];
  assert.deepEqual(find(all, { setting: set }), { found: true, path: set, from: "setting" });
  assert.deepEqual(find(all), { found: true, path: bundled, from: "bundled" });
  assert.deepEqual(find([onPath]), { found: true, path: onPath, from: "PATH" });
});

test("a setting that leads nowhere is said, not passed over", () => {
  const lookup = find([bundled, onPath], { setting: resolve("/gone") });
  assert.equal(lookup.found, false);
  assert.match(lookup.found ? "" : lookup.message, /jsonRepair\.server\.path leads to no file: .*gone/);
});

test("a setting may start at home or in the workspace", () => {
  for (const [setting, path] of [
    ["~/bin/server", join(resolve("/home/ada"), "bin", "server")],
    ["tools/server", join(resolve("/project"), "tools", "server")],
    ["${workspaceFolder}/tools/server", join(resolve("/project"), "tools", "server")],
  ] as const) {
    const lookup = find([path], { setting });
    assert.equal(lookup.found && resolve(lookup.path), path, setting);
  }
});

test("a folder of PATH that is relative is not looked into", () => {
  assert.equal(find(["json-repair-lsp", join("relative", "json-repair-lsp")]).found, false);
});

test("on Windows the binary has its extension", () => {
  assert.equal(find([`${bundled}.exe`], { platform: "win32" }).found, true);
  assert.equal(find([bundled], { platform: "win32" }).found, false);
});

test("when there is none, the message says what to do", () => {
  const lookup = find([]);
  assert.match(lookup.found ? "" : lookup.message, /Install it, or set jsonRepair\.server\.path/);
});
