// package.json names the languages again: for what starts the extension, and
// for where its commands are offered.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { LANGUAGES } from "../../src/languages";

interface Entry {
  readonly when: string;
}
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  activationEvents: string[];
  contributes: { menus: Record<string, Entry[]> };
};

test("each language starts the extension", () => {
  assert.deepEqual(
    manifest.activationEvents,
    LANGUAGES.map(language => `onLanguage:${language}`),
  );
});

test("commands are offered in each language and in no other", () => {
  const conditions = Object.values(manifest.contributes.menus)
    .flat()
    .flatMap(({ when }) => [...when.matchAll(/LangId =~ \/(.*?)\//g)].map(([, pattern]) => pattern ?? ""));
  assert.equal(conditions.length, 5);
  for (const condition of conditions) {
    const [pattern, others] = [new RegExp(condition), ["json5", "snippets", "javascript", "json-repair-log"]];
    assert.deepEqual(
      [...LANGUAGES, ...others].filter(language => pattern.test(language)),
      LANGUAGES,
    );
  }
});
