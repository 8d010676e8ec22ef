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

// test/unit/serverPath.test.ts
var import_strict = __toESM(require("node:assert/strict"));
var import_node_path2 = require("node:path");
var import_node_test = require("node:test");

// src/serverPath.ts
var import_node_path = require("node:path");
function findServer(surroundings) {
  const { setting, extensionFolder: extensionFolder2, path, platform, isFile } = surroundings;
  if (setting !== "") {
    const resolved = resolveSetting(surroundings);
    return isFile(resolved) ? { found: true, path: resolved, from: "setting" } : { found: false, message: `jsonRepair.server.path leads to no file: ${resolved}` };
  }
  const binary = platform === "win32" ? "json-repair-lsp.exe" : "json-repair-lsp";
  const bundled2 = (0, import_node_path.join)(extensionFolder2, "server", binary);
  if (isFile(bundled2)) return { found: true, path: bundled2, from: "bundled" };
  const folders = path.split(import_node_path.delimiter).filter(import_node_path.isAbsolute);
  const onPath2 = folders.map((folder) => (0, import_node_path.join)(folder, binary)).find(isFile);
  if (onPath2 !== void 0) return { found: true, path: onPath2, from: "PATH" };
  return {
    found: false,
    message: `${binary} was not found: none is bundled with this extension, and none is on the PATH. Install it, or set jsonRepair.server.path.`
  };
}
function resolveSetting({ setting, homeFolder, workspaceFolder }) {
  if (/^~[/\\]/.test(setting)) return (0, import_node_path.join)(homeFolder, setting.slice(2));
  const path = setting.replaceAll("${workspaceFolder}", workspaceFolder ?? "");
  return (0, import_node_path.isAbsolute)(path) || workspaceFolder === void 0 ? path : (0, import_node_path.join)(workspaceFolder, path);
}

// test/unit/serverPath.test.ts
var extensionFolder = (0, import_node_path2.resolve)("/extension");
var bundled = (0, import_node_path2.join)(extensionFolder, "server", "json-repair-lsp");
var onPath = (0, import_node_path2.join)((0, import_node_path2.resolve)("/usr/bin"), "json-repair-lsp");
function find(files, surroundings = {}) {
  return findServer({
    setting: "",
    extensionFolder,
    workspaceFolder: (0, import_node_path2.resolve)("/project"),
    homeFolder: (0, import_node_path2.resolve)("/home/ada"),
    path: ["", "relative", (0, import_node_path2.resolve)("/bin"), (0, import_node_path2.resolve)("/usr/bin")].join(import_node_path2.delimiter),
    platform: "linux",
    isFile: (path) => files.includes(path),
    ...surroundings
  });
}
(0, import_node_test.test)("the setting comes first, then the bundled server, then PATH", () => {
  const set = (0, import_node_path2.resolve)("/opt/server");
  const all = [set, bundled, onPath];
  import_strict.default.deepEqual(find(all, { setting: set }), { found: true, path: set, from: "setting" });
  import_strict.default.deepEqual(find(all), { found: true, path: bundled, from: "bundled" });
  import_strict.default.deepEqual(find([onPath]), { found: true, path: onPath, from: "PATH" });
});
(0, import_node_test.test)("a setting that leads nowhere is said, not passed over", () => {
  const lookup = find([bundled, onPath], { setting: (0, import_node_path2.resolve)("/gone") });
  import_strict.default.equal(lookup.found, false);
  import_strict.default.match(lookup.found ? "" : lookup.message, /jsonRepair\.server\.path leads to no file: .*gone/);
});
(0, import_node_test.test)("a setting may start at home or in the workspace", () => {
  for (const [setting, path] of [
    ["~/bin/server", (0, import_node_path2.join)((0, import_node_path2.resolve)("/home/ada"), "bin", "server")],
    ["tools/server", (0, import_node_path2.join)((0, import_node_path2.resolve)("/project"), "tools", "server")],
    ["${workspaceFolder}/tools/server", (0, import_node_path2.join)((0, import_node_path2.resolve)("/project"), "tools", "server")]
  ]) {
    const lookup = find([path], { setting });
    import_strict.default.equal(lookup.found && (0, import_node_path2.resolve)(lookup.path), path, setting);
  }
});
(0, import_node_test.test)("a folder of PATH that is relative is not looked into", () => {
  import_strict.default.equal(find(["json-repair-lsp", (0, import_node_path2.join)("relative", "json-repair-lsp")]).found, false);
});
(0, import_node_test.test)("on Windows the binary has its extension", () => {
  import_strict.default.equal(find([`${bundled}.exe`], { platform: "win32" }).found, true);
  import_strict.default.equal(find([bundled], { platform: "win32" }).found, false);
});
(0, import_node_test.test)("when there is none, the message says what to do", () => {
  const lookup = find([]);
  import_strict.default.match(lookup.found ? "" : lookup.message, /Install it, or set jsonRepair\.server\.path/);
});
