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

/** A line of JSON Lines in which there is anything. */
export interface LineRepair {
  /** Counted from 0. */
  readonly line: number;
  /** How many of the document's edits are this line's. */
  readonly edits: number;
  readonly valid_json: boolean;
  readonly json_error: JsonError | null;
}

/** What is or would be repaired in one version of a document. */
export interface Repair {
  readonly changed: boolean;
  readonly valid_json: boolean;
  /** In JSON Lines the first line's that has one. */
  readonly json_error: JsonError | null;
  readonly edits: readonly Edit[];
  /** Only of JSON Lines, where each line is repaired by itself. */
  readonly lines?: readonly LineRepair[];
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

/** What a document is, or is not: "JSON", "JSON Lines". */
export function languageOf({ lines }: Repair): string {
  return lines ? "JSON Lines" : "JSON";
}

/** `3 edits`, and of JSON Lines in how many of them: `3 edits in 2 lines`. */
export function countedEdits({ edits, lines }: Repair): string {
  const number = counted(edits.length, "edit");
  const edited = lines?.filter(line => line.edits > 0).length ?? 0;
  return edited > 0 ? `${number} in ${counted(edited, "line")}` : number;
}

/** The lines of JSON Lines that stay invalid. */
export function brokenLines({ lines }: Repair): readonly LineRepair[] {
  return lines?.filter(line => !line.valid_json) ?? [];
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
