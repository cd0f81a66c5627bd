/** What runs changed in files: those of a folder, and those that an id stands for. */
import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ChangeRow } from '#contract/change.ts';
import { Id } from '#contract/ids.ts';
import type { Client, Output } from '#contract/rpc.ts';
import { UsageError } from '../../terminal/failure.ts';
import { found } from '../sessions/load-session.ts';

const PAGE = 200;

/** A call that changed something; its number counts those of the run from 1, in order of time. */
interface Call extends Pick<ChangeRow, 'toolCallId' | 'tool' | 'at' | 'files' | 'notKept'> {
  number: number;
}

/** What a run changed. `at`: when it did so first. */
export interface RunChanges extends Pick<
  ChangeRow,
  'conversationId' | 'workflowId' | 'runId' | 'agent' | 'folder' | 'at'
> {
  calls: Call[];
}

/** `prompt`: the message that it worked for. */
export interface ListedRun extends RunChanges {
  prompt: string;
}

/** What of a run is meant. */
export interface Part {
  /** As the list names it, or as a path from where the person is. */
  file?: string | undefined;
  call?: number | undefined;
}

/** Of the newest runs of a folder, at most `most`, oldest first; whether there are more. Without those in the trash. */
export async function runsIn(
  client: Client,
  signal: AbortSignal,
  folder: string,
  most: number,
): Promise<{ runs: ListedRun[]; more: boolean }> {
  const seen = new Map<string, Promise<ChangeRow[]>>();
  const runs: ListedRun[] = [];
  const canonical = await realpath(folder).catch(() => folder);
  for await (const { id, conversationId, prompt } of workflows(client, signal, canonical)) {
    const rows = seen.get(conversationId) ?? client.request('change.list', { conversationId });
    seen.set(conversationId, rows);
    const own = byRun((await rows).filter(({ workflowId }) => workflowId === id));
    runs.unshift(...own.map((run) => ({ ...run, prompt })));
    if (runs.length > most) return { runs: runs.slice(-most), more: true };
  }
  return { runs, more: false };
}

/** Newest first. */
async function* workflows(
  client: Client,
  signal: AbortSignal,
  folder?: string,
): AsyncGenerator<Output<'workflow.list'>['items'][number]> {
  for (let before: string | null | undefined; before !== null;) {
    signal.throwIfAborted();
    const page: Output<'workflow.list'> = await client.request('workflow.list', {
      ...{ limit: PAGE, ...(folder === undefined ? {} : { folder }) },
      ...(before === undefined ? {} : { before }),
    });
    yield* page.items;
    before = page.next;
  }
}

/** Those that the id of a run, workflow or session stands for, or its first characters; throws where there is nothing of that name. */
export async function runsOf(client: Client, signal: AbortSignal, word: string): Promise<RunChanges[]> {
  const isWhole = Id.safeParse(word).success;
  if (!isWhole && !/^[0-9a-f][0-9a-f-]{5,34}$/.test(word))
    throw new UsageError(`"${word}" is not the id of a run: see "triad changes"`);
  const sessions = isWhole ? await sessionOf(client, word) : await sessionsWith(client, signal, word);
  if (sessions.length === 0)
    throw new UsageError(`No run, workflow or session ${isWhole ? 'is' : 'begins with'} ${word}: see "triad changes"`);
  const rows = await Promise.all(sessions.map((conversationId) => client.request('change.list', { conversationId })));
  return rows.flatMap((some) => byRun(some.filter((row) => isMeant(row, word))));
}

function isMeant({ runId, workflowId, conversationId }: ChangeRow, word: string): boolean {
  return [runId, workflowId, conversationId].some((id) => id.startsWith(word));
}

async function sessionOf(client: Client, id: string): Promise<string[]> {
  const run = await found(client.request('run.get', { runId: id }));
  if (run) return [run.conversationId];
  const workflow = await found(client.request('workflow.get', { workflowId: id }));
  if (workflow) return [workflow.conversation.id];
  return (await found(client.request('conversation.snapshot', { conversationId: id }))) ? [id] : [];
}

/** In which an id begins with the word: its own, that of a workflow, or that of a run. */
async function sessionsWith(client: Client, signal: AbortSignal, word: string): Promise<string[]> {
  const meant = new Set<string>();
  const sessionOfWorkflow = new Map<string, string>();
  for await (const { id, runId, conversationId } of workflows(client, signal)) {
    sessionOfWorkflow.set(id, conversationId);
    if ([id, runId, conversationId].some((one) => one.startsWith(word))) meant.add(conversationId);
  }
  for (let before: string | null | undefined; before !== null;) {
    signal.throwIfAborted();
    const page: Output<'execution.list'> = await client.request('execution.list', {
      ...{ limit: PAGE, ...(before === undefined ? {} : { before }) },
    });
    for (const { id, workflow_id: workflowId } of page.items) {
      const session = sessionOfWorkflow.get(workflowId);
      if (id.startsWith(word) && session !== undefined) meant.add(session);
    }
    before = page.next;
  }
  return [...meant];
}

function byRun(rows: readonly ChangeRow[]): RunChanges[] {
  return [...Map.groupBy(rows, ({ runId }) => runId).values()].map((own) => {
    const { conversationId, workflowId, runId, agent, folder, at } = own[0]!;
    const calls = own.map(({ toolCallId, tool, at, files, notKept }, index) => {
      return { number: index + 1, toolCallId, tool, at, files, notKept };
    });
    return { conversationId, workflowId, runId, agent, folder, at, calls };
  });
}

/** The only one; throws where the word stands for several, or none of what it stands for changed anything. */
export function theRun(runs: readonly RunChanges[], word: string): RunChanges {
  const [run] = runs;
  if (run === undefined)
    throw new UsageError(`Nothing is kept of ${word}: it changed nothing in files that could be undone`);
  if (runs.length === 1) return run;
  const ids = runs.map(({ agent, runId }) => `${runId} (${agent})`).join(', ');
  throw new UsageError(`${word} stands for ${runs.length} runs, name one of them: ${ids}`);
}

/** The run with only this part of it; throws where it has no such part. `from`: where the person is. */
export function partOf(run: RunChanges, { file, call }: Part, from: string): RunChanges {
  const { runId, folder } = run;
  let { calls } = run;
  if (call !== undefined) {
    calls = calls.filter(({ number }) => number === call);
    if (calls.length === 0)
      throw new UsageError(
        `There is no call ${call} in run ${runId}: it has ${run.calls.length} that changed something`,
      );
  }
  if (file === undefined) return { ...run, calls };
  const isMeant = ({ path }: { path: string }): boolean => path === file || join(folder, path) === resolve(from, file);
  calls = calls
    .map((one) => ({ ...one, files: one.files.filter(isMeant), notKept: [] }))
    .filter(({ files }) => files.length > 0);
  if (calls.length === 0)
    throw new UsageError(`Run ${runId} changed no file ${file} there: see "triad changes ${runId}"`);
  return { ...run, calls };
}
