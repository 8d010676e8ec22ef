// The settings in package.json are the server's: same names, same defaults,
// but for those that differ on purpose.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

/** The checkout's top: this extension may be tested where it was copied to. */
const root = process.env["JSON_REPAIR_ROOT"] ?? join(process.cwd(), "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const isAbsent = existsSync(join(root, "src/server/settings.rs"))
  ? false
  : "the server's sources are not here";

interface Property {
  default: unknown;
  enum?: unknown[];
  items?: { enum?: unknown[] };
  description?: string;
  markdownDescription?: string;
}
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  contributes: { configuration: { properties: Record<string, Property> } };
};
const properties = manifest.contributes.configuration.properties;

/** Settings of the extension itself, which the server does not know. */
const OURS = ["jsonRepair.server.path", "jsonRepair.trace.server"];

/** What VS Code does for JSON by itself, so that it is off here. */
const DOUBLES = [
  "jsonRepair.format.enable",
  "jsonRepair.foldingRange.enable",
  "jsonRepair.selectionRange.enable",
  "jsonRepair.documentSymbol.enable",
];

/** The strings between the first `from` and the next `to` of a Rust source. */
function stringsBetween(source: string, from: string, to: string): string[] {
  const start = source.indexOf(from);
  assert.notEqual(start, -1, from);
  const part = source.slice(start + from.length, source.indexOf(to, start + from.length));
  return [...part.matchAll(/"([^"]*)"/g)].map(match => match[1] ?? "");
}

const rules = () => stringsBetween(read("src/repair/rules.rs"), "fn as_str", "\n    }");

/** The server's defaults, by the names of its settings. */
function serverDefaults(): Record<string, unknown> {
  const source = read("src/server/settings.rs");
  const values: Record<string, unknown> = {
    None: null,
    "RuleSet::ALL": rules(),
    "DEFAULT_JSONC_FILES.map(str::to_owned).to_vec()": stringsBetween(
      read("src/policy.rs"),
      "DEFAULT_JSONC_FILES: [&str; ",
      "];",
    ),
  };
  const valueOf = (rust: string): unknown =>
    rust in values
      ? values[rust]
      : JSON.parse(rust.replace(/^\w+::(\w+)$/, (_, variant: string) => `"${variant.toLowerCase()}"`));
  const rows = source.matchAll(/^ *"([^"]+)" => \w+: .* = (.*);$/gm);
  const entries = [...rows].map(([, name, rust]) => [`jsonRepair.${name}`, valueOf(rust ?? "")]);
  return Object.fromEntries(entries);
}

test("names and defaults are the server's", { skip: isAbsent }, () => {
  const here = Object.entries(properties).filter(([name]) => !OURS.includes(name));
  const off = Object.fromEntries(DOUBLES.map(name => [name, false]));
  const expected = { ...serverDefaults(), ...off };
  assert.deepEqual(Object.fromEntries(here.map(([name, property]) => [name, property.default])), expected);
});

test("what VS Code has already is on in the server", { skip: isAbsent }, () => {
  const defaults = serverDefaults();
  assert.deepEqual(
    DOUBLES.filter(name => defaults[name] !== true),
    [],
  );
});

test("the values to choose from are the server's", { skip: isAbsent }, () => {
  const source = read("src/server/settings.rs");
  assert.deepEqual(properties["jsonRepair.rules"]?.items?.enum, rules());
  assert.deepEqual(
    properties["jsonRepair.diagnostics.severity"]?.enum,
    stringsBetween(source, "-> Option<Severity>", "\n    }"),
  );
  assert.deepEqual(
    properties["jsonRepair.format.layout"]?.enum,
    stringsBetween(source, "-> Option<Layout>", "\n    }"),
  );
});

test("every setting has a description", () => {
  for (const [name, { description, markdownDescription }] of Object.entries(properties)) {
    assert.ok((description ?? markdownDescription ?? "").length > 20, name);
  }
});
