/** `triad changes`: lists the files that agents changed in a folder or one run changed, and undoes or redoes that. */
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ChangeDiff, ChangeTarget, UndoneFile } from '#contract/change.ts';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { withClient } from '../follow/link.ts';
import type { ShownFile } from '../render/change-text.ts';
import { hasCode, lineOf, UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';
import { findRun, findRuns, listRuns, type Part, type RunChanges, selectPart } from './changes/find-runs.ts';
import { cwd, json, limit } from './parameters.ts';
import { isListWhole } from './sessions/load-session.ts';

interface Options {
  cwd?: string;
  undo?: string;
  redo?: string;
  file?: string;
  call?: number;
  leave?: boolean;
  diff?: boolean;
  limit?: number;
  json?: boolean;
}

export function addChanges(program: Command, io: Io): void {
  program
    .command('changes')
    .description('list what agents changed in a folder; show, undo or redo the changes of a run')
    .argument(
      '[run]',
      'show what this run changed, call by call; also the id of a workflow or session, or the first characters',
    )
    .addOption(new Option('--undo <run>', 'undo the changes of a run; later changes are preserved').conflicts('redo'))
    .option('--redo <run>', 'redo the changes of a run that were undone')
    .option('--file <path>', 'only the changes of this file')
    .addOption(
      new Option('--call <number>', 'only this call of the run, by its number in the list').argParser(parseCallNumber),
    )
    .option('--leave', 'skip files that are in the way, and undo the others')
    .option('--diff', 'show the changed lines')
    .addOption(cwd())
    .addOption(limit())
    .addOption(json())
    .action((run: string | undefined, options: Options) => changes(io, run, options));
}

/** Number of the call in its run, from 1. */
function parseCallNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new InvalidArgumentError('This is the number of a call, as its run lists it.');
  return Number(text);
}

async function changes(io: Io, run: string | undefined, options: Options): Promise<void> {
  const { undo, redo, file, call, leave = false, diff = false } = options;
  const reverted = undo ?? redo;
  if (run !== undefined && reverted !== undefined) throw new UsageError('name the run once, behind --undo or --redo');
  const word = run ?? reverted;
  if (word === undefined && (file !== undefined || call !== undefined || diff))
    throw new UsageError('--file, --call and --diff belong to a run: see "triad changes"');
  if (leave && reverted === undefined) throw new UsageError('--leave belongs to --undo or --redo');
  await withClient(io, (client) => {
    if (word === undefined) return listChanges(io, client, options);
    if (reverted === undefined) return showChanges(io, client, word, options);
    return undoChanges(io, client, word, options);
  });
}

/** Number of listed runs without `--limit`. */
const LISTED = 20;

/** Lists the changed runs, newest last. Without a limit, JSON lists all. */
async function listChanges(io: Io, client: Client, options: Options): Promise<void> {
  const { runLines } = await import('../render/change-text.ts');
  const { screen, signal } = io;
  const folder = resolve(io.folder, options.cwd ?? '.');
  const { runs, more } = await listRuns(client, signal, folder, options.limit ?? (options.json ? Infinity : LISTED));
  const isWhole = more || (await isListWhole(screen, client));
  if (options.json) return screen.data(`${JSON.stringify(runs, null, 2)}\n`);
  if (runs.length === 0) {
    if (isWhole) screen.note(`No agent has changed a file in ${visible(folder)}.`);
    return;
  }
  for (const [index, run] of runs.entries())
    for (const line of [...(index === 0 ? [] : ['']), ...runLines(run, screen.width, screen.dataStyle)])
      screen.data(`${line}\n`);
  if (more) screen.note(`Only the newest ${runs.length}: more with --limit.`);
  screen.note('Call by call: triad changes RUN. To undo what a run did: triad changes --undo RUN');
}

/** Maximum number of files whose lines are counted, because each count computes a diff. */
const COUNTED = 200;

/** Shows each call with the number of changed lines, or with the lines. Shows all runs that an id matches. */
async function showChanges(io: Io, client: Client, word: string, options: Options): Promise<void> {
  const { callLines, runLine } = await import('../render/change-text.ts');
  const { screen, signal } = io;
  const { diff = false, json = false } = options;
  const all = await findRuns(client, signal, word);
  const isPart = options.file !== undefined || options.call !== undefined;
  // A file or a call belongs to a single run.
  const runs = isPart ? [selectPart(findRun(all, word), options, io.folder)] : all;
  const shown = [];
  let left = diff ? Infinity : COUNTED;
  for (const run of runs) {
    const calls = [];
    for (const { files, ...call } of run.calls) {
      const own: ShownFile[] = [];
      for (const file of files) {
        signal.throwIfAborted();
        const { conversationId, runId } = run;
        const change = { conversationId, runId, toolCallId: call.toolCallId, path: file.path };
        const made = left > 0 ? await client.request('change.diff', change) : null;
        left -= 1;
        own.push({ ...file, ...(made === null ? {} : countLines(made)), ...(diff && made ? { diff: made } : {}) });
      }
      calls.push({ ...call, files: own });
    }
    shown.push({ ...run, calls });
  }
  if (json) return screen.data(`${JSON.stringify(shown, null, 2)}\n`);
  if (shown.length === 0) return screen.note('Nothing was changed in files there, or nothing is kept of it any more.');
  for (const [index, run] of shown.entries()) {
    const lines = [runLine(run, screen.dataStyle), ...run.calls.flatMap((call) => callLines(call, screen.dataStyle))];
    for (const line of [...(index === 0 ? [] : ['']), ...lines]) screen.data(`${line}\n`);
  }
  if (left < 0) screen.note(`The lines of the first ${COUNTED} files are counted.`);
  for (const note of nextSteps(shown)) screen.note(note);
}

function countLines({ note, hunks }: ChangeDiff): Pick<ShownFile, 'added' | 'removed'> {
  if (note !== null) return {};
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count('+'), removed: count('-') };
}

function nextSteps(runs: readonly RunChanges[]): string[] {
  const [run] = runs;
  const id = run === undefined || runs.length > 1 ? 'RUN' : run.runId;
  const states = new Set(runs.flatMap(({ calls }) => calls.flatMap(({ files }) => files.map(({ state }) => state))));
  return [
    ...(states.has('done') || states.has('changed')
      ? [`To undo it: triad changes --undo ${id}; with --call NUMBER or --file PATH only that`]
      : []),
    ...(states.has('undone') ? [`To take back that it was undone: triad changes --redo ${id}`] : []),
  ];
}

/**
 * Undoes or redoes a run as a whole or not at all, and prints the outcome of each file. Throws `conflict` if files are in
 * conflict, prints them, and changes nothing. `leave`: skips these files.
 */
async function undoChanges(io: Io, client: Client, word: string, options: Options): Promise<void> {
  const { inTheWay, undoneLines } = await import('../render/change-text.ts');
  const { screen, signal } = io;
  const { leave = false, json } = options;
  const redo = options.redo !== undefined;
  const run = selectPart(findRun(await findRuns(client, signal, word), word), options, io.folder);
  const { conversationId, runId } = run;
  const request = { conversationId, target: targetFor(run, options), redo };
  const answer = (done: boolean, files: readonly UndoneFile[]): void =>
    screen.data(`${JSON.stringify({ conversationId, runId, redo, done, files }, null, 2)}\n`);
  try {
    const files = await client.request('change.undo', { ...request, leave });
    const done = files.some(({ outcome }) => outcome !== 'conflict');
    if (json) answer(done, files);
    else for (const line of undoneLines(run, files, redo)) screen.data(`${line}\n`);
    if (!done)
      throw new TriadError('conflict', `Nothing was ${redo ? 'done again' : 'undone'}: all of it is in the way`);
    const back = `triad changes --${redo ? 'undo' : 'redo'} ${runId}${partOptions(options)}`;
    if (files.some(({ outcome }) => outcome === 'put_back' || outcome === 'merged'))
      screen.note(`To take that back: ${visible(back)}`);
  } catch (error) {
    // The run exists, so its folder or its stored contents are deleted.
    if (hasCode(error, 'not_found')) throw new TriadError('conflict', lineOf(error), { cause: error });
    if (!hasCode(error, 'conflict') || leave) throw error;
    // The error names only the first file. Another kind of conflict has no files.
    const files = await client.request('change.undo', { ...request, preview: true }).catch(() => []);
    if (json) answer(false, files);
    for (const line of inTheWay(files, redo)) screen.note(line);
    throw error;
  }
}

function targetFor({ runId, calls }: RunChanges, { file, call }: Part): ChangeTarget {
  const [first] = calls;
  return {
    runId,
    ...(call === undefined || !first ? {} : { toolCallId: first.toolCallId }),
    ...(file === undefined || !first?.files[0] ? {} : { path: first.files[0].path }),
  };
}

function partOptions({ file, call }: Part): string {
  return (call === undefined ? '' : ` --call ${call}`) + (file === undefined ? '' : ` --file ${file}`);
}
