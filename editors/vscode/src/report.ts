// What the server answers to `jsonRepair.report`, and how it is put in words.
//
// This file and those that only import it run without VS Code.

/** One edit: offsets are UTF-16 code units into the document. */
export interface Edit {
  readonly rule: string;
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** Where the repaired text stops being JSON. */
export interface JsonError {
  readonly code: string;
  readonly offset: number;
}

/** What is or would be repaired in one version of a document. */
export interface Repair {
  readonly changed: boolean;
  readonly valid_json: boolean;
  readonly json_error: JsonError | null;
  readonly edits: readonly Edit[];
  readonly version: number;
}

/** A repair, and the whole text of the document after it. */
export interface Report extends Repair {
  readonly text: string;
}

/** `1 edit`, `2 edits`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** An error's code in words: `unexpected_end` is "unexpected end". */
export function inWords(code: string): string {
  return code.replaceAll("_", " ");
}

/**
 * The place in the document that a place in its repaired text comes from; for
 * one in inserted text, where that is inserted.
 */
export function sourceOffset(edits: readonly Edit[], repairedOffset: number): number {
  let grown = 0;
  for (const { offset, removed, inserted } of edits) {
    const insertedAt = offset + grown;
    if (repairedOffset < insertedAt) break;
    if (repairedOffset < insertedAt + inserted.length) return offset;
    grown += inserted.length - removed.length;
  }
  return repairedOffset - grown;
}
