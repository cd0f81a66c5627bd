/** A person stops a workflow in the middle of a call: nothing half is left when it has ended, and the call has its result. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inFullRun } from '../../support/samples.ts';
import { Changes } from '#core/workspace/changes.ts';
import type { Workspaces } from '#core/workspace/workspaces.ts';
import { workspacesWithoutGit } from '../../support/compose.ts';
import { type Harness, startEngine, yes } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { folderWith } from '../../support/workspace.ts';
import { processesWith, uniqueSleep } from '../workspace/shell/support.ts';
import { type CutCall, cutCalls, FILES, scriptOf } from './cut-calls.ts';

/** Longer than a stop takes. */
const SLOW_MS = 60;

const seconds = uniqueSleep();
/** A stop in a command is tried with the tool, too. */
const FEW = new Set(['edit', 'question']);
const CALLS = cutCalls(seconds).filter(({ kind }) => FEW.has(kind) || inFullRun);

/** Keeps what was there slowly, and tells when it begins. */
async function slowly(begins: () => void): Promise<Workspaces> {
  const workspaces = workspacesWithoutGit(await folderWith());
  const { changes } = workspaces;
  const keep: Changes['keep'] = async (...change) => {
    begins();
    await sleep(SLOW_MS);
    return Changes.prototype.keep.apply(changes, change);
  };
  Object.assign(changes, { keep });
  return workspaces;
}

async function untilInside(engine: Harness, { stop, kind }: CutCall, kept: Promise<void>): Promise<void> {
  if (stop && 'keep' in stop) return kept;
  if (stop && 'file' in stop) return eventually(async () => expect(await readdir(engine.folder)).toContain(stop.file));
  if (stop) return void (await engine.event('approval-request'));
  if (kind === 'sub-agent')
    return void (await engine.event('message-start', ({ parentRunId }) => parentRunId !== null));
  await engine.event('tool-start');
}

test.for(CALLS)(
  'a stop in the middle of a call leaves no partial files, processes or open approvals: $kind',
  async (call) => {
    const { promise: kept, resolve } = Promise.withResolvers<void>();
    const script = scriptOf(call);
    const engine = await startEngine(script, {
      files: FILES,
      workspaces: await slowly(resolve),
      person: call.stop && 'event' in call.stop ? () => null : yes,
    });
    const { workflowId } = await engine.send('Go');
    await untilInside(engine, call, kept);
    const receipt = await engine.runtime.request('workflow.stop', { workflowId });
    expect(receipt.left).toBe(0);
    const end = await engine.ended(workflowId);
    const files = await readdir(engine.folder, { recursive: true });
    expect(files.filter((path) => path.endsWith('.tmp'))).toEqual([]);
    expect(await processesWith(seconds)).toEqual([]);
    expect(await engine.store.openApprovals()).toEqual([]);
    const made = engine
      .durable()
      .flatMap((event) => (event.type === 'message-end' && event.entry.kind === 'assistant' ? event.entry.parts : []));
    const ids = made.flatMap((part) => (part.type === 'tool_use' ? [part.id] : []));
    const results = engine.of('tool-end').map(({ entry }) => entry);
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual(ids);
    // What was asked for was not done, or it is told that it was.
    for (const [path, may] of Object.entries(call.changes ?? {})) {
      const bytes = await readFile(join(engine.folder, path), 'utf8').catch(() => null);
      expect(may).toContain(bytes);
      if (call.stop && 'keep' in call.stop) expect(bytes === may.at(-1)).toBe(results[0]?.status === 'completed');
      await sleep(SLOW_MS);
      expect(await readFile(join(engine.folder, path), 'utf8').catch(() => null), 'nothing comes behind the end').toBe(
        bytes,
      );
    }
    if (call.stop) expect([end.outcome, results.at(-1)?.status]).toEqual(['cancelled', 'cancelled']);
    expect(end.outcome === 'completed' || end.outcome === 'cancelled').toBe(true);
    // The next message is sent with a result for every call, or the server refuses it.
    expect((await engine.ask('And now?')).outcome).toBe('completed');
  },
);
