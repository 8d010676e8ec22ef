import assert from "node:assert/strict";
import { test } from "node:test";

import { type LineRepair, type Report, counted, countedEdits, inWords, sourceOffset } from "../../src/report";
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

test("JSON Lines are summed up", () => {
  const line = (parts: Partial<LineRepair>): LineRepair => ({
    line: 0,
    edits: 1,
    valid_json: true,
    json_error: null,
    ...parts,
  });
  const valid = report({ lines: [] });
  assert.equal(summarise("{}", valid, undefined).text, "Valid JSON Lines");
  const repairable = report({ changed: true, edits: [comma, closing], lines: [line({}), line({ line: 4 })] });
  assert.equal(countedEdits(repairable), "2 edits in 2 lines");
  assert.equal(summarise("x", repairable, undefined).text, "2 edits in 2 lines would make it valid");
  assert.equal(outcome("Repaired", repairable, undefined), "Repaired: 2 edits in 2 lines, valid JSON Lines");
  const one = { ...broken, changed: true, edits: [comma, closing], lines: [line({ edits: 2, ...broken })] };
  const obstacle = { message: "invalid number", line: 0, character: 4 };
  assert.equal(summarise("x", report(one), obstacle).detail, "2 edits in 1 line would not be enough");
  assert.equal(
    outcome("Repaired", report(one), obstacle),
    "Repaired: 2 edits in 1 line, but still not JSON Lines in line 1: invalid number",
  );
  const two = report({ ...one, lines: [...one.lines, line({ line: 7, edits: 0, ...broken })] });
  assert.deepEqual(summarise("x", two, obstacle), {
    standing: "stopped",
    text: "Stopped at 1:5: invalid number",
    detail: "2 edits in 1 line would not be enough, 2 lines are not JSON",
  });
  assert.equal(
    outcome("Repaired", two, obstacle),
    "Repaired: 2 edits in 1 line, but still not JSON Lines in line 1: invalid number (and 1 line more)",
  );
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
