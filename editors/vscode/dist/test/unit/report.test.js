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

// test/unit/report.test.ts
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
var NAME = "JSON Repair";
function place({ line, character }) {
  return `${line + 1}:${character + 1}`;
}
function summarise(source, report2, obstacle) {
  if (/^[ \t\r\n]*$/.test(source)) {
    return { standing: "valid", text: "Nothing to check", detail: NAME };
  }
  const edits = counted(report2.edits.length, "edit");
  if (report2.valid_json) {
    return report2.changed ? { standing: "repairable", text: `${edits} would make it valid`, detail: NAME } : { standing: "valid", text: "Valid JSON", detail: NAME };
  }
  const stopper = firstClause(obstacle?.message ?? inWords(report2.json_error?.code ?? "not JSON"));
  return {
    standing: "stopped",
    text: obstacle ? `Stopped at ${place(obstacle)}: ${stopper}` : `Stopped: ${stopper}`,
    detail: report2.changed ? `${edits} would not be enough` : "there is no repair for this"
  };
}
function firstClause(message) {
  return message.split(" (", 1)[0] ?? message;
}
function outcome(done, report2, obstacle) {
  const edits = counted(report2.edits.length, "edit");
  if (report2.valid_json) return `${done}: ${edits}, valid JSON`;
  const stopper = obstacle?.message ?? inWords(report2.json_error?.code ?? "");
  return `${done}: ${edits}, but still not JSON: ${stopper}`;
}

// test/unit/report.test.ts
var report = (parts) => ({
  text: "",
  changed: false,
  valid_json: true,
  json_error: null,
  edits: [],
  version: 1,
  ...parts
});
var comma = { rule: "remove_trailing_commas", offset: 2, removed: ",", inserted: "" };
var closing = { rule: "close_truncated", offset: 9, removed: "", inserted: '"}' };
var broken = { valid_json: false, json_error: { code: "invalid_number", offset: 4 } };
(0, import_node_test.test)("words", () => {
  import_strict.default.equal(counted(1, "edit"), "1 edit");
  import_strict.default.equal(counted(0, "edit"), "0 edits");
  import_strict.default.equal(inWords("control_character_in_string"), "control character in string");
});
(0, import_node_test.test)("a place in the repaired text is one in the document", () => {
  const edits = [comma, closing];
  import_strict.default.deepEqual(
    [0, 1, 2, 7, 8, 9, 10].map((offset) => sourceOffset(edits, offset)),
    [0, 1, 3, 8, 9, 9, 9]
  );
  import_strict.default.equal(sourceOffset([], 5), 5);
});
(0, import_node_test.test)("a document is valid, repairable or stopped", () => {
  const summary = (parts, source = "[1]") => summarise(source, report(parts), void 0);
  import_strict.default.deepEqual(summary({}), { standing: "valid", text: "Valid JSON", detail: "JSON Repair" });
  import_strict.default.equal(summary({ ...broken }, " \r\n").text, "Nothing to check");
  import_strict.default.equal(summary({ changed: true, edits: [comma] }).text, "1 edit would make it valid");
  import_strict.default.equal(summary({ changed: true, edits: [comma, closing] }).standing, "repairable");
  import_strict.default.deepEqual(summary({ ...broken, changed: true, edits: [comma] }), {
    standing: "stopped",
    text: "Stopped: invalid number",
    detail: "1 edit would not be enough"
  });
});
(0, import_node_test.test)("what stops a repair is said in the server's words", () => {
  const obstacle = { message: "expected a value, found `]`", line: 1, character: 3 };
  const explained = { ...obstacle, message: `${obstacle.message} (left alone: it may be one too many)` };
  import_strict.default.deepEqual(summarise("x", report(broken), explained), summarise("x", report(broken), obstacle));
  import_strict.default.equal(summarise("x", report(broken), obstacle).text, "Stopped at 2:4: expected a value, found `]`");
  import_strict.default.equal(
    outcome("Repaired", report({ ...broken, edits: [comma] }), obstacle),
    "Repaired: 1 edit, but still not JSON: expected a value, found `]`"
  );
  import_strict.default.equal(
    outcome("Copied", report({ edits: [comma, closing] }), void 0),
    "Copied: 2 edits, valid JSON"
  );
});
