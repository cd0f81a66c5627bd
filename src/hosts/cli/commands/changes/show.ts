/** `triad changes RUN`: what a run changed, call by call, with the number of lines or the lines themselves. */
import type { ChangeDiff } from '#contract/change.ts';
import type { Client } from '#contract/rpc.ts';
import { callLines, runLine, type ShownFile } from '../../render/change-text.ts';
import type { Io } from '../../terminal/io.ts';
import { type Part, partOf, type RunChanges, runsOf, theRun } from './find-runs.ts';

/** Beyond so many files lines are not counted: each difference is made anew. */
const COUNTED = 200;

/** An id that stands for several runs shows each of them. */
export async function showChanges(
  { screen, signal, folder }: Io,
  client: Client,
  word: string,
  part: Part,
  { diff = false, json = false }: { diff?: boolean; json?: boolean },
): Promise<void> {
  const all = await runsOf(client, signal, word);
  // A part is one of a single run.
  const runs = part.file === undefined && part.call === undefined ? all : [partOf(theRun(all, word), part, folder)];
  const shown = [];
  let left = diff ? Infinity : COUNTED;
  for (const run of runs) {
    const calls = [];
    for (const { files, ...call } of run.calls) {
      const own: ShownFile[] = [];
      for (const file of files) {
        signal.throwIfAborted();
        const { conversationId, runId } = run;
        const made = left > 0 ? await diffOf(client, { conversationId, runId, ...call, path: file.path }) : null;
        left -= 1;
        own.push({ ...file, ...(made === null ? {} : counted(made)), ...(diff && made ? { diff: made } : {}) });
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
  for (const note of wayOn(shown)) screen.note(note);
}

type Place = { conversationId: string; runId: string; toolCallId: string; path: string };

function diffOf(client: Client, { conversationId, runId, toolCallId, path }: Place): Promise<ChangeDiff> {
  return client.request('change.diff', { conversationId, runId, toolCallId, path });
}

function counted({ note, hunks }: ChangeDiff): Pick<ShownFile, 'added' | 'removed'> {
  if (note !== null) return {};
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const of = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { added: of('+'), removed: of('-') };
}

function wayOn(runs: readonly RunChanges[]): string[] {
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
