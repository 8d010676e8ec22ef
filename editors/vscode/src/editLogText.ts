// The edit log as text: one line an edit, in columns.

import { type Edit, type Repair, counted, inWords, sourceOffset } from "./report";
import { place } from "./summary";

/** The edits that are listed; a log of more would not be read. */
const MOST_LISTED = 5000;
/** The characters of a removed or inserted text that are shown. */
const MOST_SHOWN = 80;

/** Part of a line of the log that leads to a place in the document. */
export interface LogLink {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** UTF-16 code units into the document. */
  readonly offset: number;
  readonly length: number;
}

/** An edit log, and where its lines lead. */
export interface EditLog {
  readonly text: string;
  readonly links: readonly LogLink[];
}

/** A place in the document; both counted from 0. */
type PositionAt = (offset: number) => { line: number; character: number };

/** The log of a report on the document called `name`. */
export function editLog(name: string, report: Repair, positionAt: PositionAt): EditLog {
  const lines = [heading(name, report)];
  const links: LogLink[] = [];
  const addLine = (row: Row, widths: readonly number[]) => {
    const at = row.place.padEnd(widths[0] ?? 0);
    links.push({
      line: lines.length,
      start: 0,
      end: row.place.length,
      offset: row.offset,
      length: row.length,
    });
    lines.push(`${at}  ${row.what.padEnd(widths[1] ?? 0)}  ${row.change}`);
  };

  const listed = report.edits.slice(0, MOST_LISTED).map(edit => rowOf(edit, positionAt));
  const error = errorRow(report, positionAt);
  const rows = error ? [...listed, error] : listed;
  const widths = [widest(rows.map(row => row.place)), widest(rows.map(row => row.what))];
  if (listed.length > 0) lines.push("");
  for (const row of listed) addLine(row, widths);
  if (report.edits.length > listed.length) {
    lines.push("", `… and ${counted(report.edits.length - listed.length, "edit")} more`);
  }
  if (error) {
    lines.push("");
    addLine(error, widths);
  }
  return { text: `${lines.join("\n")}\n`, links };
}

function heading(name: string, { edits, changed, valid_json }: Repair): string {
  if (!changed) return valid_json ? `${name} is valid JSON.` : `${name} is not JSON, and no edit would help.`;
  const would = edits.length === 1 ? "1 edit would" : `${edits.length} edits would`;
  return valid_json ? `${would} make ${name} valid JSON.` : `${would} not be enough to make ${name} JSON.`;
}

interface Row {
  readonly place: string;
  readonly what: string;
  readonly change: string;
  readonly offset: number;
  readonly length: number;
}

function rowOf({ rule, offset, removed, inserted }: Edit, positionAt: PositionAt): Row {
  const changes = [removed && `- ${shown(removed)}`, inserted && `+ ${shown(inserted)}`];
  const change = changes.filter(part => part !== "").join("  ");
  return { place: place(positionAt(offset)), what: rule, change, offset, length: removed.length };
}

function errorRow({ json_error, edits }: Repair, positionAt: PositionAt): Row | undefined {
  if (!json_error) return undefined;
  const offset = sourceOffset(edits, json_error.offset);
  const change = `! ${inWords(json_error.code)}`;
  return { place: place(positionAt(offset)), what: "json_error", change, offset, length: 0 };
}

/** A text on one line, quoted as JSON quotes it. */
function shown(text: string): string {
  const quoted = JSON.stringify(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
  return text.length > MOST_SHOWN ? `${quoted} (${text.length} characters)` : quoted;
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
