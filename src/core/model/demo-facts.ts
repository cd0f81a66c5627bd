/** Facts in what the tools returned, as words for the demo's answers: nothing that they name is made up. */
import { z } from 'zod';
import type { DoneCall } from './demo-scene.ts';
import type { DemoWords } from './demo-words.ts';

const NOTE = /^\[.*[.\]]\]?$/;
const EMPTY_FILE = '[The file is empty.]';
/** Most names in one sentence. */
const NAMED = 6;

/** What a list of paths or names holds, without the tool's own remarks. */
export function listedLines(output: string): string[] {
  return output.split('\n').filter((line) => line !== '' && !(NOTE.test(line) && /^\[(The|No|\d)/.test(line)));
}

function nameList(names: readonly string[], words: DemoWords): string {
  const shown = names.slice(0, NAMED).map((name) => `\`${name}\``);
  return words.more(shown.join(', '), names.length - shown.length);
}

/** The first words of a text, on one line. */
export function firstWords(text: string, chars = 80): string {
  const points = [...text.replace(/\s+/g, ' ').trim()];
  return points.length > chars ? `${points.slice(0, chars - 1).join('')}…` : points.join('');
}

/** One sentence on what a call of a search or reading tool found. */
export function factOf({ name, output, isError }: DoneCall, asked: string, words: DemoWords): string {
  if (isError) return words.failed(name, firstWords(output, 200));
  if (name === 'list_directory') return listed(output, words);
  if (name === 'glob') return matching(output, asked, words);
  if (name === 'grep') return places(output, asked, words);
  return output === EMPTY_FILE ? words.emptyFile(asked) : sizeOf(output, asked, words);
}

function listed(output: string, words: DemoWords): string {
  const lines = listedLines(output);
  const total = totalOf(output);
  if (lines.length === 0) return words.emptyFolder;
  if (total !== null) return words.entries(total);
  const folders = lines.filter((line) => line.endsWith('/'));
  const files = lines.filter((line) => !line.endsWith('/'));
  return words.holds(folders.length, files.length, nameList([...folders, ...files], words));
}

function matching(output: string, pattern: string, words: DemoWords): string {
  const paths = listedLines(output);
  if (paths.length === 0) return words.noFile(pattern);
  const total = totalOf(output);
  if (paths.length === 1 && total === null) return words.oneFile(pattern, nameList(paths, words));
  return words.matching(total ?? paths.length, pattern, total === null ? null : paths.length, kindsOf(paths, words));
}

function places(output: string, pattern: string, words: DemoWords): string {
  const found = listedLines(output).flatMap((line) => /^(.+?):(\d+):/.exec(line)?.slice(1, 3).join(':') ?? []);
  if (found.length === 0) return words.noLine(pattern);
  const files = new Set(found.map((place) => place.replace(/:\d+$/, '')));
  const isMore = /^\[The first \d+ matches; there are more/m.test(output);
  return words.lines(found.length, isMore, pattern, files.size, nameList(found, words));
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

/** The size of a file that was read, from the tool's remark where it returned only a part, and its first heading. */
function sizeOf(output: string, path: string, words: DemoWords): string {
  const heading = /^#\s+(.+)$/m.exec(output)?.[1];
  const named = heading === undefined ? null : firstWords(heading);
  const part = /\n?\[Lines \d+ to (\d+) of a file of (\d+) bytes\..*\]$/.exec(output);
  if (part) return words.size(path, Number(part[1]), true, Number(part[2]), named);
  const lines = output.split('\n').length - (output.endsWith('\n') ? 1 : 0);
  return words.size(path, lines, false, Buffer.byteLength(output), named);
}

/** The most frequent endings of names, with their numbers, and the number of the rest. */
function kindsOf(paths: readonly string[], words: DemoWords): string {
  const kinds = new Map<string, number>();
  for (const path of paths) {
    const kind = /[^/](\.[^./]+)$/.exec(path)?.[1] ?? '';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const sorted = [...kinds].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const rest = sorted.slice(3).reduce((sum, [, number]) => sum + number, 0);
  return [
    ...sorted.slice(0, 3).map(([kind, number]) => `${number} ${kind === '' ? words.noEnding : `\`${kind}\``}`),
    ...(rest > 0 ? [words.otherEndings(rest)] : []),
  ].join(', ');
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
  const section = /^## (?:Summary|Answer|Résumé|Réponse)\s*\n([\s\S]*?)(?=\n## |$(?![\s\S]))/m.exec(report)?.[1];
  return (section ?? firstWords(report, 300)).trim();
}
