/** `triad changes --undo RUN`, and `--redo RUN`: done as a whole or not at all, and said file by file. */
import type { ChangeTarget, UndoneFile } from '#contract/change.ts';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { inTheWay, undoneLines } from '../../render/change-text.ts';
import { hasCode, lineOf } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { type Part, partOf, type RunChanges, runsOf, theRun } from './find-runs.ts';

interface Wish {
  redo: boolean;
  /** Files in the way are left as they are, and all others are undone. */
  leave: boolean;
  json?: boolean;
}

/** Throws `conflict` where a file is in the way, and then tells all that are; nothing was done then. */
export async function undoChanges(
  { screen, signal, folder }: Io,
  client: Client,
  word: string,
  part: Part,
  { redo, leave, json }: Wish,
): Promise<void> {
  const run = partOf(theRun(await runsOf(client, signal, word), word), part, folder);
  const { conversationId, runId } = run;
  const asked = { conversationId, target: targetOf(run, part), redo };
  const answer = (done: boolean, files: readonly UndoneFile[]): void =>
    screen.data(`${JSON.stringify({ conversationId, runId, redo, done, files }, null, 2)}\n`);
  try {
    const files = await client.request('change.undo', { ...asked, leave });
    const done = files.some(({ outcome }) => outcome !== 'conflict');
    if (json) answer(done, files);
    else for (const line of undoneLines(run, files, redo)) screen.data(`${line}\n`);
    if (!done)
      throw new TriadError('conflict', `Nothing was ${redo ? 'done again' : 'undone'}: all of it is in the way`);
    const back = `triad changes --${redo ? 'undo' : 'redo'} ${runId}${optionsOf(part)}`;
    if (files.some(({ outcome }) => outcome === 'put_back' || outcome === 'merged'))
      screen.note(`To take that back: ${visible(back)}`);
  } catch (error) {
    // The run was found: its folder, or what was kept, is gone.
    if (hasCode(error, 'not_found')) throw new TriadError('conflict', lineOf(error), { cause: error });
    if (!hasCode(error, 'conflict') || leave) throw error;
    // The error names the first; what else is wrong has no files.
    const files = await client.request('change.undo', { ...asked, preview: true }).catch(() => []);
    if (json) answer(false, files);
    for (const line of inTheWay(files, redo)) screen.note(line);
    throw error;
  }
}

function targetOf({ runId, calls }: RunChanges, { file, call }: Part): ChangeTarget {
  const [first] = calls;
  return {
    runId,
    ...(call === undefined || !first ? {} : { toolCallId: first.toolCallId }),
    ...(file === undefined || !first?.files[0] ? {} : { path: first.files[0].path }),
  };
}

function optionsOf({ file, call }: Part): string {
  return (call === undefined ? '' : ` --call ${call}`) + (file === undefined ? '' : ` --file ${file}`);
}
