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

// test/unit/editLogText.test.ts
var import_strict = __toESM(require("node:assert/strict"));
var import_node_test = require("node:test");

// src/report.ts
function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
function inWords(code) {
  return code.replaceAll("_", " ");
}
function sourceOffset(edits, repairedOffset) {
  let grown = 0;
  for (const { offset, removed, inserted } of edits) {
    const insertedAt = offset + grown;
    if (repairedOffset < insertedAt) break;
    if (repairedOffset < insertedAt + inserted.length) return offset;
    grown += inserted.length - removed.length;
  }
  return repairedOffset - grown;
}

// src/summary.ts
function place({ line, character }) {
  return `${line + 1}:${character + 1}`;
}

// src/editLogText.ts
var MOST_LISTED = 5e3;
var MOST_SHOWN = 80;
function editLog(name, report2, positionAt2) {
  const lines = [heading(name, report2)];
  const links = [];
  const addLine = (row, widths2) => {
    const at = row.place.padEnd(widths2[0] ?? 0);
    links.push({
      line: lines.length,
      start: 0,
      end: row.place.length,
      offset: row.offset,
      length: row.length
    });
    lines.push(`${at}  ${row.what.padEnd(widths2[1] ?? 0)}  ${row.change}`);
  };
  const listed = report2.edits.slice(0, MOST_LISTED).map((edit) => rowOf(edit, positionAt2));
  const error = errorRow(report2, positionAt2);
  const rows = error ? [...listed, error] : listed;
  const widths = [widest(rows.map((row) => row.place)), widest(rows.map((row) => row.what))];
  if (listed.length > 0) lines.push("");
  for (const row of listed) addLine(row, widths);
  if (report2.edits.length > listed.length) {
    lines.push("", `\u2026 and ${counted(report2.edits.length - listed.length, "edit")} more`);
  }
  if (error) {
    lines.push("");
    addLine(error, widths);
  }
  return { text: `${lines.join("\n")}
`, links };
}
function heading(name, { edits, changed, valid_json }) {
  if (!changed) return valid_json ? `${name} is valid JSON.` : `${name} is not JSON, and no edit would help.`;
  const would = edits.length === 1 ? "1 edit would" : `${edits.length} edits would`;
  return valid_json ? `${would} make ${name} valid JSON.` : `${would} not be enough to make ${name} JSON.`;
}
function rowOf({ rule, offset, removed, inserted }, positionAt2) {
  const changes = [removed && `- ${shown(removed)}`, inserted && `+ ${shown(inserted)}`];
  const change = changes.filter((part) => part !== "").join("  ");
  return { place: place(positionAt2(offset)), what: rule, change, offset, length: removed.length };
}
function errorRow({ json_error, edits }, positionAt2) {
  if (!json_error) return void 0;
  const offset = sourceOffset(edits, json_error.offset);
  const change = `! ${inWords(json_error.code)}`;
  return { place: place(positionAt2(offset)), what: "json_error", change, offset, length: 0 };
}
function shown(text) {
  const quoted = JSON.stringify(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\u2026` : text);
  return text.length > MOST_SHOWN ? `${quoted} (${text.length} characters)` : quoted;
}
function widest(texts) {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}

// test/unit/editLogText.test.ts
var report = (edits, error = null) => ({
  text: "",
  changed: edits.length > 0,
  valid_json: error === null,
  json_error: error,
  edits,
  version: 1
});
var positionAt = (offset) => ({ line: Math.floor(offset / 10), character: offset % 10 });
var comment = { rule: "remove_comments", offset: 3, removed: "// a	\u201Cb\u201D", inserted: "" };
var comma = { rule: "remove_trailing_commas", offset: 125, removed: ",", inserted: "" };
var closing = { rule: "close_truncated", offset: 130, removed: "", inserted: '"}' };
(0, import_node_test.test)("one line an edit, in columns", () => {
  const { text } = editLog("a.json", report([comment, comma, closing]), positionAt);
  import_strict.default.equal(
    text,
    [
      "3 edits would make a.json valid JSON.",
      "",
      '1:4   remove_comments         - "// a\\t\u201Cb\u201D"',
      '13:6  remove_trailing_commas  - ","',
      '14:1  close_truncated         + "\\"}"',
      ""
    ].join("\n")
  );
});
(0, import_node_test.test)("every edit leads to its place", () => {
  const { text, links } = editLog("a.json", report([comment, comma, closing]), positionAt);
  const lines = text.split("\n");
  import_strict.default.deepEqual(
    links.map(({ line, start, end }) => lines[line]?.slice(start, end)),
    ["1:4", "13:6", "14:1"]
  );
  import_strict.default.deepEqual(
    links.map(({ offset, length }) => [offset, length]),
    [
      [3, 8],
      [125, 1],
      [130, 0]
    ]
  );
});
(0, import_node_test.test)("so does the error that is left", () => {
  const error = { code: "unexpected_character", offset: 126 };
  const { text, links } = editLog("a.json", report([comma], error), positionAt);
  import_strict.default.match(text, /^1 edit would not be enough to make a\.json JSON\.\n/);
  import_strict.default.match(text, /\n13:8 {2}json_error {14}! unexpected character\n$/);
  import_strict.default.equal(links.at(-1)?.offset, 127);
});
(0, import_node_test.test)("nothing to do, in words", () => {
  import_strict.default.equal(editLog("a.json", report([]), positionAt).text, "a.json is valid JSON.\n");
  const stopped = editLog("a.json", report([], { code: "unexpected_end", offset: 0 }), positionAt);
  import_strict.default.match(stopped.text, /^a\.json is not JSON, and no edit would help\./);
});
(0, import_node_test.test)("long texts and long logs are cut", () => {
  const long = editLog("a.json", report([{ ...comment, removed: `/*${"x".repeat(500)}*/` }]), positionAt);
  import_strict.default.match(long.text, /x…" \(504 characters\)\n$/);
  const many = editLog("a.json", report(Array.from({ length: 5002 }, () => comma)), positionAt);
  import_strict.default.equal(many.links.length, 5e3);
  import_strict.default.match(many.text, /\n… and 2 edits more\n$/);
});
