/** Short forms of texts, alike in what is kept and what is shown: a title, the first line, the summary of a report. */
import { SUMMARY_CHARS } from '../limits.ts';

const TITLE_UNITS = 80;
const PATH_UNITS = 60;

export function firstLine(prompt: string): string {
  return prompt.trim().split('\n', 1)[0] ?? '';
}

/** The first line, at most 80 UTF-16 code units of it and never half of a surrogate pair. */
export function titleOf(prompt: string): string {
  const line = firstLine(prompt);
  if (line.length <= TITLE_UNITS) return line;
  return `${line.slice(0, wholeUnits(line, TITLE_UNITS))}…`;
}

/** A path on one line, its end where it is long: that tells it apart. At most 60 UTF-16 code units and a mark. */
export function pathTitleOf(path: string): string {
  const line = path.replace(/[\n\r\t]/g, '␣');
  if (line.length <= PATH_UNITS) return line;
  return `…${line.slice(-PATH_UNITS).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

/** At most so many UTF-16 code units of a text, so that no sign is cut in two. */
export function wholeUnits(text: string, units: number): number {
  const last = text.charCodeAt(units - 1);
  return units < text.length && last >= 0xd800 && last <= 0xdbff ? units - 1 : units;
}

/** The first characters of the Summary section of a report, or of the report where it has none; one line. */
export function summaryOf(report: string): string {
  const section = /^#{1,6}[ \t]*(?:summary|résumé)[ \t]*$([\s\S]*?)(?=^#{1,6}[ \t]|$(?![\s\S]))/im.exec(report);
  const whole = section?.[1]?.trim() || report.replace(/^#{1,6}[ \t].*$/gm, '').trim() || report;
  return shortened(whole);
}

/** Returns the first characters of a text, on one line, with an ellipsis if more follow. */
export function shortened(text: string, maxChars = SUMMARY_CHARS): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const points = [...line];
  return points.length <= maxChars ? line : `${points.slice(0, maxChars).join('').trimEnd()}…`;
}
