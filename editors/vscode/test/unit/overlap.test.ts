import assert from "node:assert/strict";
import { test } from "node:test";

import { isReportedTwice } from "../../src/overlap";

const reported = (source: string, line: number, start: number, end: number) => ({
  source,
  range: { start: { line, character: start }, end: { line, character: end } },
});

test("twice is the same place from both", () => {
  const ours = reported("json-repair", 2, 4, 5);
  assert.equal(isReportedTwice([ours, reported("json", 2, 4, 5)]), true);
  assert.equal(isReportedTwice([reported("jsonc", 2, 0, 9), ours]), true);
  assert.equal(isReportedTwice([ours, reported("json", 2, 5, 6)]), false);
  assert.equal(isReportedTwice([ours, reported("json", 3, 4, 5)]), false);
  assert.equal(isReportedTwice([ours, reported("eslint", 2, 4, 5)]), false);
  assert.equal(isReportedTwice([ours, ours]), false);
  assert.equal(isReportedTwice([]), false);
});
