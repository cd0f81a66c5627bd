/** Short forms of texts as a screen shows them: without marks, closed where they were cut, of a report that is JSON. */
import { firstLine, shortened, summaryOf } from '#contract/messages/short-text.ts';
import { objectIn } from './answer.ts';

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
