import assert from "node:assert/strict";
import { test } from "node:test";

import { editLog } from "../../src/editLogText";
import type { Edit, Report } from "../../src/report";

const report = (edits: Edit[], error: Report["json_error"] = null): Report => ({
  text: "",
  changed: edits.length > 0,
  valid_json: error === null,
  json_error: error,
  edits,
  version: 1,
});
/** A document of lines of ten characters. */
const positionAt = (offset: number) => ({ line: Math.floor(offset / 10), character: offset % 10 });

const comment = { rule: "remove_comments", offset: 3, removed: "// a\t“b”", inserted: "" };
const comma = { rule: "remove_trailing_commas", offset: 125, removed: ",", inserted: "" };
const closing = { rule: "close_truncated", offset: 130, removed: "", inserted: '"}' };

test("one line an edit, in columns", () => {
  const { text } = editLog("a.json", report([comment, comma, closing]), positionAt);
  assert.equal(
    text,
    [
      "3 edits would make a.json valid JSON.",
      "",
      '1:4   remove_comments         - "// a\\t“b”"',
      '13:6  remove_trailing_commas  - ","',
      '14:1  close_truncated         + "\\"}"',
      "",
    ].join("\n"),
  );
});

test("every edit leads to its place", () => {
  const { text, links } = editLog("a.json", report([comment, comma, closing]), positionAt);
  const lines = text.split("\n");
  assert.deepEqual(
    links.map(({ line, start, end }) => lines[line]?.slice(start, end)),
    ["1:4", "13:6", "14:1"],
  );
  assert.deepEqual(
    links.map(({ offset, length }) => [offset, length]),
    [
      [3, 8],
      [125, 1],
      [130, 0],
    ],
  );
});

test("so does the error that is left", () => {
  const error = { code: "unexpected_character", offset: 126 };
  const { text, links } = editLog("a.json", report([comma], error), positionAt);
  assert.match(text, /^1 edit would not be enough to make a\.json JSON\.\n/);
  assert.match(text, /\n13:8 {2}json_error {14}! unexpected character\n$/);
  assert.equal(links.at(-1)?.offset, 127);
});

test("nothing to do, in words", () => {
  assert.equal(editLog("a.json", report([]), positionAt).text, "a.json is valid JSON.\n");
  const stopped = editLog("a.json", report([], { code: "unexpected_end", offset: 0 }), positionAt);
  assert.match(stopped.text, /^a\.json is not JSON, and no edit would help\./);
});

test("JSON Lines are listed line by line", () => {
  const edits = [comment, { ...comma, offset: 35 }, { ...closing, offset: 39 }];
  const error = { code: "invalid_literal", offset: 12 };
  const lines = [
    { line: 0, edits: 1, valid_json: true, json_error: null },
    { line: 2, edits: 0, valid_json: false, json_error: { ...error, offset: 12 } },
    { line: 3, edits: 2, valid_json: false, json_error: { ...error, offset: 26 } },
  ];
  const log = editLog("a.jsonl", { ...report(edits, error), lines }, positionAt);
  assert.deepEqual(log.text.split("\n"), [
    "3 edits in 2 lines would not be enough to make a.jsonl JSON Lines.",
    "",
    "Line 1: 1 edit would make it valid",
    '1:4   remove_comments         - "// a\\t“b”"',
    "",
    "Line 3: no edit would help",
    "3:1   json_error              ! invalid literal",
    "",
    "Line 4: 2 edits would not be enough",
    '4:6   remove_trailing_commas  - ","',
    '4:10  close_truncated         + "\\"}"',
    "4:5   json_error              ! invalid literal",
    "",
  ]);
  const places = log.links.map(({ line, start, end }) => log.text.split("\n")[line]?.slice(start, end));
  assert.deepEqual(places, ["1:4", "3:1", "4:6", "4:10", "4:5"]);
  assert.deepEqual(
    log.links.map(({ offset }) => offset),
    [3, 20, 35, 39, 34],
  );
  assert.equal(
    editLog("a.jsonl", { ...report([]), lines: [] }, positionAt).text,
    "a.jsonl is valid JSON Lines.\n",
  );
});

test("so many lines of JSON Lines are listed, each of them whole", () => {
  const edits = Array.from({ length: 6000 }, (_, index) => ({ ...comma, offset: 10 * index }));
  const lines = Array.from({ length: 3000 }, (_, line) => ({
    line,
    edits: 2,
    valid_json: true,
    json_error: null,
  }));
  const log = editLog("a.jsonl", { ...report(edits), lines }, positionAt);
  assert.equal(log.links.length, 5000);
  assert.match(log.text, /\n… and 500 lines more\n$/);
});

test("long texts and long logs are cut", () => {
  const long = editLog("a.json", report([{ ...comment, removed: `/*${"x".repeat(500)}*/` }]), positionAt);
  assert.match(long.text, /x…" \(504 characters\)\n$/);
  const many = editLog("a.json", report(Array.from({ length: 5002 }, () => comma)), positionAt);
  assert.equal(many.links.length, 5000);
  assert.match(many.text, /\n… and 2 edits more\n$/);
});
