/** This project: the runtime as the hosts compose it, approvals answered by rule, its store on the disk. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentEvent } from '#contract/event.ts';
import type { Runtime } from '#core/host/runtime/runtime.ts';
import type { Store } from '#core/store/store.ts';
import { ARCHIVE } from '#core/store/archive/archive-folder.ts';
import { openStore } from '#core/store/surreal.ts';
import { composeRuntime, settingsOf } from '../support/compose.ts';
import { clock } from './clock.ts';
import type { Work } from './side.ts';

type Listener = (event: AgentEvent) => void;

/** What a person follows of a sub-agent. */
const PROGRESS: ReadonlySet<AgentEvent['type']> = new Set<AgentEvent['type']>(['run-queue', 'run-start', 'run-end']);

/** The store is in `FOLDER/store` with its archive beside it, unless one is given; the workspace in `FOLDER/workspace`. */
export async function openOurs(url: string, folder: string, given?: Store): Promise<Work> {
  const workspace = join(folder, 'workspace');
  await mkdir(workspace, { recursive: true });
  const places = { url: `rocksdb://${join(folder, 'store')}`, archive: join(folder, ARCHIVE) };
  const store = given ?? (await openStore(places));
  const runtime = await composeRuntime({
    store,
    url,
    data: folder,
    folder: workspace,
    settings: settingsOf(''),
    onFailure: (error) => {
      throw error;
    },
  });
  let begun: Begun | null = null;
  let talking: string | null = null;
  return {
    workflow: async () => {
      const starts = new StartReader();
      const started = await begin(runtime, 'Look at all parts', (event) => starts.take(event));
      return { sentAt: started.sentAt, endedAt: await started.ended, shown: starts.shown, updates: starts.updates };
    },
    stream: async (prompt, take) => {
      const { sentAt, ended } = await begin(runtime, prompt, (event) => {
        if (event.type === 'message-delta') take(event.text);
      });
      return { sentAt, endedAt: await ended };
    },
    talk: async (count, fresh) => {
      if (fresh || talking === null) talking = (await runtime.request('conversation.create', {})).id;
      for (let sent = 0; sent < count; sent += 1)
        await (
          await begin(runtime, `Message ${sent}`, () => undefined, { conversationId: talking })
        ).ended;
    },
    settled: async () => {
      await store.settled();
      while ((await countStaleSessions(folder)) > 0) await delay(LOOK_MS);
      await store.settled();
    },
    begin: async () => {
      begun = await begin(runtime, 'Look at all parts', () => undefined, { outcome: 'cancelled' });
    },
    stop: async () => {
      if (!begun) throw new Error('nothing was begun');
      const stoppedAt = clock();
      await runtime.request('workflow.stop', { workflowId: begun.workflowId });
      await begun.ended;
      return stoppedAt;
    },
    close: () => runtime.close(),
  };
}

/** Time between two looks at the work behind the workflows, in milliseconds. */
const LOOK_MS = 100;

async function countStaleSessions(folder: string): Promise<number> {
  return (await readdir(join(folder, 'sessions-behind')).catch(() => [])).length;
}

interface Begun {
  workflowId: string;
  sentAt: number;
  ended: Promise<number>;
}

/** A workflow in a new conversation, unless one is given; creating that is not part of the time. */
async function begin(
  runtime: Runtime,
  text: string,
  listener: Listener,
  {
    outcome = 'completed',
    conversationId: given,
  }: { outcome?: 'completed' | 'cancelled'; conversationId?: string } = {},
): Promise<Begun> {
  const conversationId = given ?? (await runtime.request('conversation.create', {})).id;
  const end = Promise.withResolvers<number>();
  const leave = await runtime.subscribe('conversation', { conversationId }, (event) => {
    try {
      listener(event);
    } catch (error) {
      // The log would drop this subscriber without a word.
      end.reject(error);
    }
    if (event.type !== 'workflow-end') return;
    if (event.outcome === outcome) end.resolve(clock());
    else end.reject(new Error(`the workflow ended as ${event.outcome}: ${event.error?.message}`));
  });
  const ended = end.promise.finally(leave);
  // Awaited by the caller, after the message was accepted.
  ended.catch(() => undefined);
  const sentAt = clock();
  const { workflowId } = await runtime.request('message.send', { conversationId, text, approve: 'all' });
  return { workflowId, sentAt, ended };
}

/** How long after the yes to it each sub-agent's start reaches a subscriber, and each step of its progress after it happened. */
class StartReader {
  readonly shown: number[] = [];
  readonly updates: number[] = [];
  readonly #asked = new Map<string, string[]>();
  readonly #decidedAt = new Map<string, number>();

  take(event: AgentEvent): void {
    const now = performance.timeOrigin + performance.now();
    if (event.parentRunId !== null && PROGRESS.has(event.type)) this.updates.push(now - Date.parse(event.at));
    if (event.type === 'approval-request') {
      const { id, subject } = event.approval;
      if (subject.kind === 'envelopes')
        this.#asked.set(
          id,
          subject.items.map(({ runId }) => runId),
        );
    } else if (event.type === 'approval-decide') {
      const runId = this.#asked.get(event.approvalId)?.[event.decision.item];
      if (runId !== undefined) this.#decidedAt.set(runId, Date.parse(event.decision.at));
    } else if (event.type === 'run-start') {
      const decidedAt = this.#decidedAt.get(event.runId);
      if (decidedAt !== undefined) this.shown.push(now - decidedAt);
    }
  }
}
