/** What agents changed in files, and what undoing it did, as lines. Pure. */
import type { ChangeDiff, ChangeRow, UndoneFile } from '#contract/change.ts';
import type { Style } from '../terminal/style.ts';
import { truncate } from '../terminal/truncate.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import { diffText } from './diff-text.ts';
import { localTime } from './format.ts';

type File = ChangeRow['files'][number];
type State = File['state'];

/** One file of a call: `added` and `removed` lines where they were counted, `diff` where it was asked for. */
export interface ShownFile extends File {
  added?: number;
  removed?: number;
  diff?: ChangeDiff;
}

interface Call {
  number: number;
  tool: string;
  at: string;
  files: readonly ShownFile[];
  notKept: readonly string[];
}

interface Run {
  runId: string;
  agent: string;
  at: string;
  calls: readonly Call[];
}

const STATES = {
  done: '',
  undone: ', undone',
  changed: ', changed since',
  gone: ', whose folder is not there any more',
} as const satisfies Record<State, string>;

/** Each file once, whatever number of calls changed it. */
export function runLines(run: Run & { prompt: string }, width: number, style: Style): string[] {
  const files = [
    ...Map.groupBy(
      run.calls.flatMap((call) => call.files),
      ({ path }) => path,
    ).values(),
  ].map(asOne);
  return [
    runLine(run, style),
    truncate(`  “${oneLine(visible(run.prompt))}”`, width),
    ...files.map((file) => `  ${fileText(file)}`),
    ...notKeptLines(run.calls, '  '),
  ];
}

export function runLine(run: Run, style: Style): string {
  const states = run.calls.flatMap(({ files }) => files.map(({ state }) => state));
  const mark = states.length > 0 && states.every((state) => state === 'undone') ? '↶' : '•';
  return `${style('bold', `${mark} ${visible(run.agent)}`)} · ${localTime(run.at)} · ${run.runId}`;
}

export function callLines(call: Call, style: Style): string[] {
  const { number, tool, at, files } = call;
  return [
    `  ${number}  ${visible(tool)} · ${localTime(at)}`,
    ...files.flatMap((file) => [
      `     ${fileText(file)}${statText(file, style)}`,
      ...diffLines(file, style).map((line) => `       ${line}`),
    ]),
    ...notKeptLines([call], '     '),
  ];
}

/** From before the first call to after the last one. */
function asOne(files: readonly File[]): File {
  const [first] = files;
  const last = files.at(-1);
  if (!first || !last) throw new RangeError('No file');
  return { ...last, before: first.before };
}

function fileText({ path, before, after, state, kept, canRunCode }: File): string {
  const what =
    before === null ? (after === null ? 'made and removed' : 'made') : after === null ? 'removed' : 'changed';
  return `${what.padEnd('changed'.length)}  ${visible(path)}${STATES[state]}${canRunCode ? ', can run code' : ''}${kept ? ', kept by you' : ''}`;
}

/** `sides` stand where lines cannot be counted. */
function statText({ added, removed, before, after, diff }: ShownFile, style: Style): string {
  if (added !== undefined && removed !== undefined)
    return `  ${style('green', `+${added}`)} ${style('red', `-${removed}`)}`;
  return diff ? '' : `  ${before?.bytes ?? 0} → ${after?.bytes ?? 0} bytes`;
}

function diffLines({ diff }: ShownFile, style: Style): string[] {
  if (!diff) return [];
  if (diff.note !== null) return [visible(diff.note)];
  return diff.hunks.flatMap(({ oldStart, newStart, lines }) => {
    const size = (sign: string): number => lines.filter((line) => line.startsWith(sign) || line.startsWith(' ')).length;
    const head = `@@ -${oldStart},${size('-')} +${newStart},${size('+')} @@`;
    return [style('cyan', head), ...diffText(lines.join('\n')).map((line) => coloured(line, style))];
  });
}

function coloured(line: string, style: Style): string {
  return line.startsWith('+') ? style('green', line) : line.startsWith('-') ? style('red', line) : line;
}

function notKeptLines(calls: readonly Pick<Call, 'notKept'>[], indent: string): string[] {
  const paths = new Set(calls.flatMap(({ notKept }) => notKept));
  return [...paths].map((path) => `${indent}changed  ${visible(path)}: cannot be undone, what it was is not kept`);
}

/** What became of each file, also of those of which nothing is kept. */
export function undoneLines({ calls }: Pick<Run, 'calls'>, files: readonly UndoneFile[], redo: boolean): string[] {
  const all = Map.groupBy(
    calls.flatMap((call) => call.files),
    ({ path }) => path,
  );
  const lost = redo ? [] : new Set(calls.flatMap(({ notKept }) => notKept));
  const lines = files.map(({ path, outcome, why }) => {
    const change = all.get(path);
    const goes = change !== undefined && (redo ? asOne(change).after : asOne(change).before) === null;
    const name = visible(path);
    switch (outcome) {
      case 'put_back':
        if (goes) return `removed   ${name}${redo ? '' : ', which it had made'}`;
        return redo ? `redone    ${name}` : `put back  ${name}`;
      case 'merged':
        return `merged    ${name}: what others did to it since stays`;
      case 'already':
        return `already   ${name}: nothing was to be done`;
      case 'conflict':
        return `left      ${name}: ${whyText(why)}`;
    }
  });
  return [...lines, ...[...lost].map((path) => `left      ${visible(path)}: what it was is not kept`)];
}

/** Why nothing was done, and what else could be. */
export function inTheWay(files: readonly UndoneFile[], redo: boolean): string[] {
  const conflicts = files.filter(({ outcome }) => outcome === 'conflict');
  const others = files.filter(({ outcome }) => outcome === 'put_back' || outcome === 'merged').length;
  return [
    ...(conflicts.length > 1 ? conflicts.map(({ path, why }) => `in the way  ${visible(path)}: ${whyText(why)}`) : []),
    ...(conflicts.length > 0 && others > 0
      ? [
          `With --leave the other ${others === 1 ? 'file is' : `${others} files are`} ${redo ? 'done again' : 'undone'}, and what is in the way is left as it is.`,
        ]
      : []),
  ];
}

const whyText = (why: string | undefined): string => visible(why ?? 'something is in the way');
