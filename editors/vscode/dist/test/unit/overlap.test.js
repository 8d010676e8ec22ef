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

// test/unit/overlap.test.ts
var import_strict = __toESM(require("node:assert/strict"));
var import_node_test = require("node:test");

// src/overlap.ts
var OUR_SOURCE = "json-repair";
var BUILT_IN_SOURCES = ["json", "jsonc"];
function isReportedTwice(reported2) {
  const ours = reported2.filter(({ source }) => source === OUR_SOURCE);
  const theirs = reported2.filter(({ source }) => BUILT_IN_SOURCES.includes(source ?? ""));
  return ours.some((our) => theirs.some((their) => overlap(our.range, their.range)));
}
function overlap(one, other) {
  return isBefore(one.start, other.end) && isBefore(other.start, one.end);
}
function isBefore(one, other) {
  return one.line < other.line || one.line === other.line && one.character < other.character;
}

// test/unit/overlap.test.ts
var reported = (source, line, start, end) => ({
  source,
  range: { start: { line, character: start }, end: { line, character: end } }
});
(0, import_node_test.test)("twice is the same place from both", () => {
  const ours = reported("json-repair", 2, 4, 5);
  import_strict.default.equal(isReportedTwice([ours, reported("json", 2, 4, 5)]), true);
  import_strict.default.equal(isReportedTwice([reported("jsonc", 2, 0, 9), ours]), true);
  import_strict.default.equal(isReportedTwice([ours, reported("json", 2, 5, 6)]), false);
  import_strict.default.equal(isReportedTwice([ours, reported("json", 3, 4, 5)]), false);
  import_strict.default.equal(isReportedTwice([ours, reported("eslint", 2, 4, 5)]), false);
  import_strict.default.equal(isReportedTwice([ours, ours]), false);
  import_strict.default.equal(isReportedTwice([]), false);
});
