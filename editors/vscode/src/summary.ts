// A report in one line: the language status item, and what commands say.

import { type Repair, brokenLines, counted, countedEdits, inWords, languageOf } from "./report";

/** Beside VS Code's own items, it must be seen whose this is. */
const NAME = "JSON Repair";

/** How a document stands. */
export type Standing = "valid" | "repairable" | "stopped";

/** What there is to say about a document. */
export interface Summary {
  readonly standing: Standing;
  readonly text: string;
  readonly detail: string;
}

/** A diagnostic of the server's, as far as it is needed here. */
export interface Obstacle {
  readonly message: string;
  /** Counted from 0. */
  readonly line: number;
  readonly character: number;
}

/** Where a text stops being JSON, as people count. */
export function place({ line, character }: { line: number; character: number }): string {
  return `${line + 1}:${character + 1}`;
}

/**
 * A report in one line. `obstacle` is what stands in the way of valid JSON,
 * where that is known better than by the report's code.
 */
export function summarise(source: string, report: Repair, obstacle: Obstacle | undefined): Summary {
  if (/^[ \t\r\n]*$/.test(source)) {
    return { standing: "valid", text: "Nothing to check", detail: NAME };
  }
  const edits = countedEdits(report);
  if (report.valid_json) {
    return report.changed
      ? { standing: "repairable", text: `${edits} would make it valid`, detail: NAME }
      : { standing: "valid", text: `Valid ${languageOf(report)}`, detail: NAME };
  }
  const stopper = firstClause(obstacle?.message ?? inWords(report.json_error?.code ?? "not JSON"));
  const broken = brokenLines(report).length;
  const more = broken > 1 ? [`${broken} lines are not JSON`] : [];
  return {
    standing: "stopped",
    text: obstacle ? `Stopped at ${place(obstacle)}: ${stopper}` : `Stopped: ${stopper}`,
    detail: [report.changed ? `${edits} would not be enough` : "there is no repair for this", ...more].join(
      ", ",
    ),
  };
}

/** A message without what it explains in parentheses, for which there is no room. */
function firstClause(message: string): string {
  return message.split(" (", 1)[0] ?? message;
}

/** What is said when a repair is made or copied. */
export function outcome(done: string, report: Repair, obstacle: Obstacle | undefined): string {
  const edits = countedEdits(report);
  const language = languageOf(report);
  if (report.valid_json) return `${done}: ${edits}, valid ${language}`;
  const stopper = obstacle?.message ?? inWords(report.json_error?.code ?? "");
  const broken = brokenLines(report).length;
  const where = broken > 0 && obstacle ? ` in line ${obstacle.line + 1}` : "";
  const more = broken > 1 ? ` (and ${counted(broken - 1, "line")} more)` : "";
  return `${done}: ${edits}, but still not ${language}${where}: ${stopper}${more}`;
}
