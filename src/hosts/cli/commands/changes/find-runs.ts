/** Finds the runs that changed files, by folder or by id. */
import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ChangeRow } from '#contract/change.ts';
import type { Client, Output } from '#contract/rpc.ts';
import { UsageError } from '../../terminal/failure.ts';
import { nullIfNotFound } from '../sessions/load-session.ts';

const PAGE = 200;

/** A call that changed files. `number`: its position among the changing calls of the run, from 1, in order of time. */
interface Call extends Pick<ChangeRow, 'toolCallId' | 'tool' | 'at' | 'files' | 'notKept'> {
  number: number;
}

/** The file changes of a run. `at`: time of the first one. */
export interface RunChanges extends Pick<
  ChangeRow,
  'conversationId' | 'workflowId' | 'runId' | 'agent' | 'folder' | 'at'
> {
  calls: Call[];
}

/** A listed run. `prompt`: message of its workflow. */
export interface ListedRun extends RunChanges {
  prompt: string;
}

/** Selects one file or one call of a run. */
export interface Part {
  /** Path as in the list, or relative to the current folder. */
  file?: string | undefined;
  call?: number | undefined;
}

/** Returns the newest runs of a folder, at most `most`, oldest first. Excludes the trash. `more`: there are older ones. */
export async function listRuns(
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

/** Yields the workflows of a folder, or all, newest first. */
async function* workflows(
  client: Client,
  signal: AbortSignal,
  folder?: string,
): AsyncGenerator<Output<'workflow.list'>['items'][number]> {
  for (let before: string | null | undefined; before !== null;) {
    signal.throwIfAborted();
    const page: Output<'workflow.list'> = await client.request('workflow.list', {
      limit: PAGE,
      ...(folder === undefined ? {} : { folder }),
      ...(before === undefined ? {} : { before }),
    });
    yield* page.items;
    before = page.next;
  }
}

/** Returns the runs of an id, or of its first characters: of a run, workflow or session. Throws if nothing has this id. */
export async function findRuns(client: Client, signal: AbortSignal, word: string): Promise<RunChanges[]> {
  const { Id } = await import('#contract/ids.ts');
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
  const run = await nullIfNotFound(client.request('run.get', { runId: id }));
  if (run) return [run.conversationId];
  const workflow = await nullIfNotFound(client.request('workflow.get', { workflowId: id }));
  if (workflow) return [workflow.conversation.id];
  return (await nullIfNotFound(client.request('conversation.snapshot', { conversationId: id }))) ? [id] : [];
}

/** Returns the sessions where the id of the session, of a workflow or of a run begins with the word. */
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
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
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

/** Returns the only run. Throws if the word matches several runs, or none that changed files. */
export function findRun(runs: readonly RunChanges[], word: string): RunChanges {
  const [run] = runs;
  if (run === undefined)
    throw new UsageError(`Nothing is kept of ${word}: it changed nothing in files that could be undone`);
  if (runs.length === 1) return run;
  const ids = runs.map(({ agent, runId }) => `${runId} (${agent})`).join(', ');
  throw new UsageError(`${word} stands for ${runs.length} runs, name one of them: ${ids}`);
}

/** Returns the run with only this file or call. Throws if the run has none. `from`: the current folder. */
export function selectPart(run: RunChanges, { file, call }: Part, from: string): RunChanges {
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
