/** Short forms of texts: a conversation's title, the first line of a prompt, the summary of a report. */
import { SUMMARY_CHARS } from '#contract/limits.ts';
import { objectIn } from './answer.ts';

const TITLE_UNITS = 80;

export function firstLine(prompt: string): string {
  return prompt.trim().split('\n', 1)[0] ?? '';
}

/** The first line, at most 80 UTF-16 code units of it and never half of a surrogate pair. */
export function titleOf(prompt: string): string {
  const line = firstLine(prompt);
  if (line.length <= TITLE_UNITS) return line;
  return `${line.slice(0, wholeUnits(line, TITLE_UNITS))}…`;
}

/** At most so many UTF-16 code units of a text, so that no sign is cut in two. */
export function wholeUnits(text: string, units: number): number {
  const last = text.charCodeAt(units - 1);
  return units < text.length && last >= 0xd800 && last <= 0xdbff ? units - 1 : units;
}

/** A line without its marks of Markdown, where only one line is shown: its words stay as they are. */
export function lineOf(line: string): string {
  return line
    .replace(/^\s*(?:#{1,6}|[-*+>]|\d{1,3}[.)])\s+(?=\S)/, '')
    .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![\w*])/g, '$1')
    .replace(/`([^`]+)`/g, '$1');
}

/** The task of a prompt on one line: its first one, without the label that prompts are written with. */
export function taskLine(prompt: string): string {
  return lineOf(firstLine(prompt).replace(/^\*\*(?:task|tâche)(?:\*\*\s*:|\s*:\*\*)\s*(?=\S)/i, ''));
}

/** What is said aloud of a text in Markdown: no mark of it, also where a sentence ends inside of one. */
export function spoken(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .split('\n')
    .map(lineOf)
    .join('\n')
    .replace(/\*\*|`+/g, '');
}

/** Of a report that is a JSON object, its first plain fields on one line; empty for any other. */
export function fieldsLine(report: string): string {
  const value = objectIn(report);
  if (value === null) return '';
  const fields = Object.entries(value as Record<string, object | string | number | boolean | null>).flatMap(
    ([name, field]) => {
      if (typeof field === 'object') return [];
      const said = lineOf(String(field));
      return Array.isArray(value) ? [said] : [`${name}: ${said}`];
    },
  );
  return shortened(fields.join(' · '));
}

/** The first characters of the Summary section of a report, or of the report where it has none; one line. */
export function summaryOf(report: string): string {
  const section = /^#{1,6}[ \t]*(?:summary|résumé)[ \t]*$([\s\S]*?)(?=^#{1,6}[ \t]|$(?![\s\S]))/im.exec(report);
  const whole = section?.[1]?.trim() || report.replace(/^#{1,6}[ \t].*$/gm, '').trim() || report;
  return shortened(whole);
}

/** The first characters of a text, on one line. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const points = [...line];
  return points.length <= SUMMARY_CHARS ? line : `${points.slice(0, SUMMARY_CHARS).join('').trimEnd()}…`;
}

/** The summary as Markdown: what the cut left open in it is closed, so that no mark of it shows. */
export function previewOf(report: string): string {
  const summary = summaryOf(report);
  const cut = summary.endsWith('…') ? summary.slice(0, -1) : summary;
  const code = openCodeOf(cut);
  if (code !== '') return `${cut}${code}${summary.slice(cut.length)}`;
  // Of a link whose address was cut off, its words are left.
  const whole = cut.replace(/!?\[([^\]]*)(?:\]\([^)]*)?$/, '$1');
  const strong = (whole.replace(/(`+)(?:(?!\1).)*\1/g, '').match(/\*\*/g) ?? []).length % 2 === 1 ? '**' : '';
  return `${whole.trimEnd()}${strong}${summary.slice(cut.length)}`;
}

/** The backticks that would end a code span in which a text ends; empty where it ends in none. */
function openCodeOf(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  return runs.reduce((open, run) => (open === '' ? run : run === open ? '' : open), '');
}

/** Whether a title says no more than the message does. */
export function isTitleOf(title: string, prompt: string): boolean {
  const start = title.replace(/…$/, '').trim();
  return firstLine(prompt).startsWith(start);
}
