// The languages that are ours, by VS Code's names for them.
//
// This file runs without VS Code.

/** JSON, with and without comments, and JSON Lines by each of its names. */
export const LANGUAGES: readonly string[] = ["json", "jsonc", "jsonl", "ndjson", "jsonlines"];
