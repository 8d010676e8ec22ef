import assert from "node:assert/strict";
import { test } from "node:test";

import { type Report, counted, inWords, sourceOffset } from "../../src/report";
import { outcome, summarise } from "../../src/summary";

const report = (parts: Partial<Report>): Report => ({
  text: "",
  changed: false,
  valid_json: true,
  json_error: null,
  edits: [],
  version: 1,
  ...parts,
});
const comma = { rule: "remove_trailing_commas", offset: 2, removed: ",", inserted: "" };
const closing = { rule: "close_truncated", offset: 9, removed: "", inserted: '"}' };
const broken = { valid_json: false, json_error: { code: "invalid_number", offset: 4 } };

test("words", () => {
  assert.equal(counted(1, "edit"), "1 edit");
  assert.equal(counted(0, "edit"), "0 edits");
  assert.equal(inWords("control_character_in_string"), "control character in string");
});

test("a place in the repaired text is one in the document", () => {
  // [1,] ,] and so on: the comma at 2 is gone, two characters are put in at 9.
  const edits = [comma, closing];
  assert.deepEqual(
    [0, 1, 2, 7, 8, 9, 10].map(offset => sourceOffset(edits, offset)),
    [0, 1, 3, 8, 9, 9, 9],
  );
  assert.equal(sourceOffset([], 5), 5);
});

test("a document is valid, repairable or stopped", () => {
  const summary = (parts: Partial<Report>, source = "[1]") => summarise(source, report(parts), undefined);
  assert.deepEqual(summary({}), { standing: "valid", text: "Valid JSON", detail: "JSON Repair" });
  assert.equal(summary({ ...broken }, " \r\n").text, "Nothing to check");
  assert.equal(summary({ changed: true, edits: [comma] }).text, "1 edit would make it valid");
  assert.equal(summary({ changed: true, edits: [comma, closing] }).standing, "repairable");
  assert.deepEqual(summary({ ...broken, changed: true, edits: [comma] }), {
    standing: "stopped",
    text: "Stopped: invalid number",
    detail: "1 edit would not be enough",
  });
});

test("what stops a repair is said in the server's words", () => {
  const obstacle = { message: "expected a value, found `]`", line: 1, character: 3 };
  const explained = { ...obstacle, message: `${obstacle.message} (left alone: it may be one too many)` };
  assert.deepEqual(summarise("x", report(broken), explained), summarise("x", report(broken), obstacle));
  assert.equal(summarise("x", report(broken), obstacle).text, "Stopped at 2:4: expected a value, found `]`");
  assert.equal(
    outcome("Repaired", report({ ...broken, edits: [comma] }), obstacle),
    "Repaired: 1 edit, but still not JSON: expected a value, found `]`",
  );
  assert.equal(
    outcome("Copied", report({ edits: [comma, closing] }), undefined),
    "Copied: 2 edits, valid JSON",
  );
});
