/**
 * A process of its own that opens a store, or several one after the other, a folder in a line: holds it, or commits until
 * it is killed, or tells what is in it. Several tasks are done one after the other: `look+read`.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { DurableEvent } from '#contract/event.ts';
import { errorInfo } from '#core/base/errors.ts';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { becomeNobody } from './become-nobody.ts';

const [task = '', folders = '', conversationId = '', schemaDir] = process.argv.slice(2);
/** Past the pipe's buffer at once: a kill must not take back what was said. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

const tasks: Record<string, (store: Store) => Promise<void>> = {
  open: async () => say('opened'),
  hold: async () => {
    say('opened');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  },
  // Prints why the store was lost.
  watch: async (store) => {
    say('opened');
    await new Promise((resolve) => store.lost.addEventListener('abort', resolve, { once: true }));
    throw store.lost.reason;
  },
  write: async (store) => {
    for (let seq = 1; ; seq++) {
      const at = new Date().toISOString();
      const event: DurableEvent = {
        type: 'message-end',
        seq,
        at,
        conversationId,
        workflowId: conversationId,
        runId: conversationId,
        parentRunId: null,
        agent: 'lead',
        entry: { n: seq, at, kind: 'system', code: 'resumed', text: 'x'.repeat(500) },
      };
      await store.commit([{ event }]);
      say(String(seq));
    }
  },
  // Rejects when the disk is full.
  fill: async (store) => {
    for (let seq = 1; ; seq++) {
      const event: DurableEvent = {
        type: 'notice',
        seq,
        at: new Date().toISOString(),
        conversationId,
        workflowId: conversationId,
        runId: conversationId,
        parentRunId: null,
        agent: 'lead',
        level: 'info',
        text: randomBytes(1e6).toString('hex'),
      };
      await store.commit([{ event }]);
    }
  },
  // What a person would look at.
  look: async (store) => {
    const limit = 200;
    const found = await store.search({ text: 'naive mistakes', limit });
    const workflows = await store.workflows({ limit });
    const details = workflows.items.map(async ({ id }) => ({
      runs: await store.runsOf([id]),
      approvals: await store.approvalsOf([id]),
      requests: await store.requestsOf(id),
    }));
    const conversations = await store.conversations({ limit });
    // Without their cost: in the recorded store the ends of runs and their requests differ in it.
    const executions = await store.executions({ limit, model: 'claude-sonnet-5-5' });
    const events = conversations.items.map(async ({ id }) => store.events(id, 1, 1e6));
    say(
      JSON.stringify({
        conversations: conversations.items,
        workflows: workflows.items,
        hits: found.items,
        details: await Promise.all(details),
        events: await Promise.all(events),
        facets: await store.facets(),
        executions: executions.items.map(({ nano_usd: _, ...row }) => row),
        reviewer: (await store.workflows({ limit, agent: 'code-reviewer' })).items.length,
      }),
    );
  },
  // A line for each of several ids.
  read: async (store) => {
    for (const id of conversationId.split(',')) {
      const seqs = (await store.events(id, 1, 1e9)).map(({ seq }) => seq);
      const entries = (await store.entriesOf(id)).map(({ n }) => n);
      say(JSON.stringify({ lastSeq: await store.lastSeq(id), seqs, entries }));
    }
  },
};

becomeNobody();
for (const folder of folders.split('\n')) {
  try {
    const store = await openStore({ url: `rocksdb://${folder}`, schemaDir });
    for (const name of task.split('+')) await tasks[name]?.(store);
    await store.close();
  } catch (error) {
    const { code, message } = errorInfo(error);
    say(JSON.stringify({ code, message }));
  }
}
process.exit();
