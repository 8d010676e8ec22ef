// The edit log as text: one line an edit, in columns. In JSON Lines the edits of
// a line, and what is left of it, stand below a heading that names it.

import {
  type Edit,
  type JsonError,
  type LineRepair,
  type Repair,
  counted,
  countedEdits,
  inWords,
  languageOf,
  sourceOffset,
} from "./report";
import { place } from "./summary";

/** The edits and errors that are listed; a log of more would not be read. */
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
  const parts = report.lines ? partsOfLines(report, report.lines, positionAt) : partsOf(report, positionAt);
  const allRows = parts.flatMap(({ rows }) => rows);
  const [places, whats] = [widest(allRows.map(row => row.place)), widest(allRows.map(row => row.what))];
  const lines = [heading(name, report)];
  const links: LogLink[] = [];
  for (const { title, rows } of parts) {
    lines.push("");
    if (title !== undefined) lines.push(title);
    for (const { place, what, change, offset, length } of rows) {
      links.push({ line: lines.length, start: 0, end: place.length, offset, length });
      lines.push(`${place.padEnd(places)}  ${what.padEnd(whats)}  ${change}`);
    }
  }
  return { text: `${lines.join("\n")}\n`, links };
}

function heading(name: string, report: Repair): string {
  const { changed, valid_json } = report;
  const language = languageOf(report);
  if (!changed) {
    return valid_json
      ? `${name} is valid ${language}.`
      : `${name} is not ${language}, and no edit would help.`;
  }
  const would = `${countedEdits(report)} would`;
  return valid_json
    ? `${would} make ${name} valid ${language}.`
    : `${would} not be enough to make ${name} ${language}.`;
}

/** Rows that belong together; a blank line is before them. */
interface Part {
  readonly title?: string;
  readonly rows: readonly Row[];
}

interface Row {
  readonly place: string;
  readonly what: string;
  readonly change: string;
  readonly offset: number;
  readonly length: number;
}

function partsOf({ edits, json_error }: Repair, positionAt: PositionAt): Part[] {
  const parts: Part[] = [{ rows: edits.slice(0, MOST_LISTED).map(edit => rowOf(edit, positionAt)) }];
  if (edits.length > MOST_LISTED) {
    parts.push({ title: `… and ${counted(edits.length - MOST_LISTED, "edit")} more`, rows: [] });
  }
  parts.push({ rows: errorRows(json_error, edits, positionAt) });
  return parts.filter(({ title, rows }) => title !== undefined || rows.length > 0);
}

function partsOfLines({ edits }: Repair, lines: readonly LineRepair[], positionAt: PositionAt): Part[] {
  const parts: Part[] = [];
  let [listed, first] = [0, 0];
  for (const line of lines) {
    const own = edits.slice(first, first + line.edits);
    const rows = [
      ...own.map(edit => rowOf(edit, positionAt)),
      ...errorRows(line.json_error, edits, positionAt),
    ];
    listed += rows.length;
    if (listed > MOST_LISTED) break;
    first += line.edits;
    parts.push({ title: `Line ${line.line + 1}: ${outcomeOf(line)}`, rows });
  }
  if (lines.length > parts.length) {
    parts.push({ title: `… and ${counted(lines.length - parts.length, "line")} more`, rows: [] });
  }
  return parts;
}

function outcomeOf({ edits, valid_json }: LineRepair): string {
  if (edits === 0) return "no edit would help";
  return `${counted(edits, "edit")} would ${valid_json ? "make it valid" : "not be enough"}`;
}

function rowOf({ rule, offset, removed, inserted }: Edit, positionAt: PositionAt): Row {
  const changes = [removed && `- ${shown(removed)}`, inserted && `+ ${shown(inserted)}`];
  const change = changes.filter(part => part !== "").join("  ");
  return { place: place(positionAt(offset)), what: rule, change, offset, length: removed.length };
}

/** A row for what is left, if anything is; `edits` are all of the document. */
function errorRows(error: JsonError | null, edits: readonly Edit[], positionAt: PositionAt): Row[] {
  if (!error) return [];
  const offset = sourceOffset(edits, error.offset);
  const change = `! ${inWords(error.code)}`;
  return [{ place: place(positionAt(offset)), what: "json_error", change, offset, length: 0 }];
}

/** A text on one line, quoted as JSON quotes it. */
function shown(text: string): string {
  const quoted = JSON.stringify(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
  return text.length > MOST_SHOWN ? `${quoted} (${text.length} characters)` : quoted;
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
