// Whether two extensions report the same thing.

interface Position {
  readonly line: number;
  readonly character: number;
}

/** A diagnostic, as far as it is needed here. */
export interface Reported {
  readonly source?: string | undefined;
  readonly range: { readonly start: Position; readonly end: Position };
}

/** The `source` of the server's diagnostics. */
export const OUR_SOURCE = "json-repair";
/** VS Code's own JSON extension names the language as its source. */
const BUILT_IN_SOURCES = ["json", "jsonc"];

/** Whether VS Code's own JSON extension reports a place that we report too. */
export function isReportedTwice(reported: readonly Reported[]): boolean {
  const ours = reported.filter(({ source }) => source === OUR_SOURCE);
  const theirs = reported.filter(({ source }) => BUILT_IN_SOURCES.includes(source ?? ""));
  return ours.some(our => theirs.some(their => overlap(our.range, their.range)));
}

function overlap(one: Reported["range"], other: Reported["range"]): boolean {
  return isBefore(one.start, other.end) && isBefore(other.start, one.end);
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
