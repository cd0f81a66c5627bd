/** Facts in what the tools returned, as words for the demo's answers: nothing that they name is made up. */
import { z } from 'zod';
import type { DoneCall } from './demo-scene.ts';

/** Stands before each answer of the lead. */
export const SCRIPTED =
  '**This is the demo: the answer is scripted, no model has read your message.** The engine, the questions, the tools and the history are real, and so is everything named here.';

const NOTE = /^\[.*[.\]]\]?$/;
const EMPTY_FILE = '[The file is empty.]';
/** Most names in one sentence. */
const NAMED = 6;

/** What a list of paths or names holds, without the tool's own remarks. */
export function listedLines(output: string): string[] {
  return output.split('\n').filter((line) => line !== '' && !(NOTE.test(line) && /^\[(The|No|\d)/.test(line)));
}

export const count = (value: number, one: string, many = `${one}s`): string =>
  `${value.toLocaleString('en')} ${value === 1 ? one : many}`;

function nameList(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).map((name) => `\`${name}\``);
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The first words of a text, on one line. */
export function firstWords(text: string, chars = 80): string {
  const points = [...text.replace(/\s+/g, ' ').trim()];
  return points.length > chars ? `${points.slice(0, chars - 1).join('')}…` : points.join('');
}

/** One sentence on what a call of a search or reading tool found. */
export function factOf({ name, output, isError }: DoneCall, asked: string): string {
  if (isError) return `\`${name}\` failed: ${firstWords(output, 200)}`;
  if (name === 'list_directory') return listed(output);
  if (name === 'glob') return matching(output, asked);
  if (name === 'grep') return places(output, asked);
  return output === EMPTY_FILE ? `\`${asked}\` is empty.` : `\`${asked}\` has ${sizeOf(output)}${headingOf(output)}.`;
}

function listed(output: string): string {
  const lines = listedLines(output);
  if (lines.length === 0) return 'The folder is empty.';
  if (totalOf(output) !== null) return `The folder holds ${count(totalOf(output) ?? 0, 'entry', 'entries')}.`;
  const folders = lines.filter((line) => line.endsWith('/'));
  const files = lines.filter((line) => !line.endsWith('/'));
  const parts = [
    ...(folders.length > 0 ? [count(folders.length, 'folder')] : []),
    ...(files.length > 0 ? [count(files.length, 'file')] : []),
  ];
  return `The folder holds ${parts.join(' and ')}: ${nameList([...folders, ...files])}.`;
}

function matching(output: string, pattern: string): string {
  const paths = listedLines(output);
  if (paths.length === 0) return `No file matches \`${pattern}\`.`;
  const total = totalOf(output);
  const found = count(total ?? paths.length, 'file matches', 'files match');
  if (paths.length === 1) return `${found} \`${pattern}\`: ${nameList(paths)}.`;
  return `${found} \`${pattern}\`, by ending${total === null ? '' : ` of the first ${paths.length}`}: ${kindsOf(paths)}.`;
}

function places(output: string, pattern: string): string {
  const found = listedLines(output).flatMap((line) => /^(.+?):(\d+):/.exec(line)?.slice(1, 3).join(':') ?? []);
  if (found.length === 0) return `No line matches \`${pattern}\`.`;
  const files = new Set(found.map((place) => place.replace(/:\d+$/, '')));
  const more = /^\[The first \d+ matches; there are more/m.test(output) ? 'More than ' : '';
  return `${more}${count(found.length, 'line matches', 'lines match')} \`${pattern}\`, in ${count(files.size, 'file')}: ${nameList(found)}.`;
}

/** Whether the tool returned only a part of the list. */
export function isCut(output: string): boolean {
  return totalOf(output) !== null;
}

/** The total where the tool returned only the first ones; null where it returned all. */
function totalOf(output: string): number | null {
  const total = /^\[(?:The first )?\d+ of (?:more than )?(\d+) (?:files|entries)/m.exec(output)?.[1];
  return total === undefined ? null : Number(total);
}

/** The size of a file that was read, from the tool's remark where it returned only a part. */
function sizeOf(output: string): string {
  const part = /\n?\[Lines \d+ to (\d+) of a file of (\d+) bytes\..*\]$/.exec(output);
  if (part) return `more than ${count(Number(part[1]), 'line')}, ${count(Number(part[2]), 'byte')}`;
  const lines = output.split('\n').length - (output.endsWith('\n') ? 1 : 0);
  return `${count(lines, 'line')}, ${count(Buffer.byteLength(output), 'byte')}`;
}

function headingOf(output: string): string {
  const heading = /^#\s+(.+)$/m.exec(output)?.[1];
  return heading === undefined ? '' : `; its first heading is “${firstWords(heading)}”`;
}

/** The most frequent endings of names, with their numbers. */
function kindsOf(paths: readonly string[]): string {
  const kinds = new Map<string, number>();
  for (const path of paths) {
    const kind = /[^/](\.[^./]+)$/.exec(path)?.[1] ?? 'without one';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const sorted = [...kinds].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return sorted
    .slice(0, 3)
    .map(([kind, number]) => `${number} ${kind.startsWith('.') ? `\`${kind}\`` : kind}`)
    .join(', ');
}

/** A file that is worth reading: what introduces the folder, else any text. */
export function fileWorthReading(paths: readonly string[]): string | undefined {
  const first = (pattern: RegExp) => paths.find((path) => pattern.test(path));
  return (
    first(/^readme[^/]*$/i) ??
    first(/(^|\/)readme[^/]*$/i) ??
    first(/\.(md|txt)$/i) ??
    first(/\.(ts|js|py|rs|go|java|c|h|css|html|json|toml|yaml|yml|csv)$/i)
  );
}

const Metrics = z.object({ duration_ms: z.number(), tokens_input: z.number(), tokens_output: z.number() });
const Report = z.object({
  child_id: z.string().optional(),
  agent_id: z.string().optional(),
  success: z.boolean(),
  outcome: z.string().optional(),
  report: z.string().default(''),
  error: z.string().nullish(),
  metrics: Metrics.optional(),
  chained_stages: z.array(z.object({ agent: z.string() })).optional(),
});
export type Report = z.infer<typeof Report>;
const Batch = z.object({ results: z.array(Report.required({ agent_id: true })) });

/** The report of a sub-agent, or of each of a batch; null where the tool said something else. */
export function reportsOf(output: string): Report[] | null {
  try {
    const value: unknown = JSON.parse(output);
    const batch = Batch.safeParse(value);
    if (batch.success) return batch.data.results;
    const one = Report.safeParse(value);
    return one.success ? [one.data] : null;
  } catch {
    return null;
  }
}

/** The reports that were handed over beside the calls, in order. */
export function lateReports(notes: readonly string[]): Report[] {
  return notes
    .flatMap((note) => note.split(/\n\n---\n\n(?=Report of the sub-agent )/))
    .flatMap((note) => {
      const head = /^Report of the sub-agent (.+?) \(([0-9a-f-]{36})\), outcome (\w+)(?: \(([\s\S]*?)\))?:\n\n/.exec(
        note,
      );
      if (!head) return [];
      const [all, agent, child, outcome, error] = head;
      const report = note.slice(all.length);
      const success = outcome === 'completed';
      return [{ agent_id: agent, child_id: child, success, outcome, error, report: report === error ? '' : report }];
    });
}

/** The summary of a report, or its answer, or its beginning. */
export function summaryOf(report: string): string {
  const section = /^## (?:Summary|Answer)\s*\n([\s\S]*?)(?=\n## |$(?![\s\S]))/m.exec(report)?.[1];
  return (section ?? firstWords(report, 300)).trim();
}
