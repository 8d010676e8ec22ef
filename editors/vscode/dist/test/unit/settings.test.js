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

// test/unit/settings.test.ts
var import_strict = __toESM(require("node:assert/strict"));
var import_node_fs = require("node:fs");
var import_node_path = require("node:path");
var import_node_test = require("node:test");
var root = process.env["JSON_REPAIR_ROOT"] ?? (0, import_node_path.join)(process.cwd(), "..", "..");
var read = (path) => (0, import_node_fs.readFileSync)((0, import_node_path.join)(root, path), "utf8");
var isAbsent = (0, import_node_fs.existsSync)((0, import_node_path.join)(root, "src/server/settings.rs")) ? false : "the server's sources are not here";
var manifest = JSON.parse((0, import_node_fs.readFileSync)("package.json", "utf8"));
var properties = manifest.contributes.configuration.properties;
var OURS = ["jsonRepair.server.path", "jsonRepair.trace.server"];
function stringsBetween(source, from, to) {
  const start = source.indexOf(from);
  import_strict.default.notEqual(start, -1, from);
  const part = source.slice(start + from.length, source.indexOf(to, start + from.length));
  return [...part.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? "");
}
var rules = () => stringsBetween(read("src/repair/rules.rs"), "fn as_str", "\n    }");
function serverDefaults() {
  const source = read("src/server/settings.rs");
  const names = [...source.matchAll(/name: "([^"]+)"/g)].map((match) => match[1] ?? "");
  const fields = /fn default\(\) -> Settings \{\s*Settings \{([^}]*)\}/.exec(source)?.[1] ?? "";
  const values = {
    "RuleSet::ALL": rules(),
    "DEFAULT_JSONC_FILES.map(str::to_owned).to_vec()": stringsBetween(
      read("src/policy.rs"),
      "DEFAULT_JSONC_FILES: [&str; ",
      "];"
    )
  };
  const valueOf = (rust) => values[rust] ?? JSON.parse(rust.replace(/^\w+::(\w+)$/, (_, variant) => `"${variant.toLowerCase()}"`));
  const entries = names.map((name) => {
    const field = name.replaceAll(".", "_").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const rust = new RegExp(`^\\s*${field}: (.*),$`, "m").exec(fields)?.[1];
    import_strict.default.ok(rust, `no default of ${name} in settings.rs`);
    return [`jsonRepair.${name}`, valueOf(rust)];
  });
  return Object.fromEntries(entries);
}
(0, import_node_test.test)("names and defaults are the server's", { skip: isAbsent }, () => {
  const here = Object.entries(properties).filter(([name]) => !OURS.includes(name));
  const expected = { ...serverDefaults(), "jsonRepair.format.enable": false };
  import_strict.default.deepEqual(Object.fromEntries(here.map(([name, property]) => [name, property.default])), expected);
});
(0, import_node_test.test)("formatting is on in the server", { skip: isAbsent }, () => {
  import_strict.default.equal(serverDefaults()["jsonRepair.format.enable"], true);
});
(0, import_node_test.test)("the values to choose from are the server's", { skip: isAbsent }, () => {
  const source = read("src/server/settings.rs");
  import_strict.default.deepEqual(properties["jsonRepair.rules"]?.items?.enum, rules());
  import_strict.default.deepEqual(
    properties["jsonRepair.diagnostics.severity"]?.enum,
    stringsBetween(source, "fn severity_of", "\n}")
  );
  import_strict.default.deepEqual(
    properties["jsonRepair.format.layout"]?.enum,
    stringsBetween(source, "fn layout_of", "\n}")
  );
});
(0, import_node_test.test)("every setting has a description", () => {
  for (const [name, { description, markdownDescription }] of Object.entries(properties)) {
    import_strict.default.ok((description ?? markdownDescription ?? "").length > 20, name);
  }
});
