/**
 * The next start after a kill, as a process of its own: `node campaign-reader.ts MARK [restore CONVERSATION]`. Opens the home as every host
 * does, says what it finds of the workflow whose prompt has the mark, goes on with it, answers yes, and prints as JSON
 * all that is stored of it in the end. With `restore`, takes its conversation out of the trash first. With
 * `purge CONVERSATION` deletes it permanently instead, and prints a line when that is done.
 */
import type { DurableEvent } from '#contract/event.ts';
import type { Client } from '#contract/rpc.ts';
import type { Attention, WorkflowRow } from '#contract/view.ts';
import { connect } from '#hosts/connect.ts';
import type { Found } from './campaign.ts';
import { PURGED } from './campaign-programs.ts';

const [mark = '', task, target = ''] = process.argv.slice(2);
const notes: string[] = [];
const { env } = process;
const connected = await connect({
  env,
  folder: process.cwd(),
  signal: new AbortController().signal,
  works: true,
  note: (line) => notes.push(line),
});
const { client } = connected;
if (task === 'purge') {
  await client.request('conversation.delete', { conversationId: target });
  await client.request('conversation.purge', { conversationId: target });
  await new Promise((done) => process.stdout.write(PURGED, done));
} else await new Promise((done) => void find().then((found) => process.stdout.write(JSON.stringify(found), done)));
await connected.close();
process.exit(0);

async function find(): Promise<Found> {
  // Rejects if the conversation was purged.
  if (task === 'restore')
    await client.request('conversation.restore', { conversationId: target }).catch(() => undefined);
  const { items } = await client.request('workflow.list', { limit: 200 });
  const stuck = items.filter(({ outcome }) => outcome === null).map(({ id, status }) => `${id} is ${status}`);
  const own = items.filter(({ prompt }) => prompt.includes(mark));
  if (own.length > 1) stuck.push(`the message is stored ${own.length} times`);
  const [workflow] = own;
  if (!workflow) return { owner: connected.owner, notes, stuck, before: null, after: null };
  const { conversationId, id: workflowId } = workflow;
  const attention = await attentionOf();
  const { approvals } = await client.request('workflow.get', { workflowId });
  const open = approvals.filter(({ decisions }) => decisions.includes(null)).map(({ request }) => request.id);
  const asleep = attention.asleep.map(({ request }) => request.id);
  const before = { events: await eventsOf(conversationId), outcome: workflow.outcome, open, asleep };
  if (workflow.outcome === 'interrupted') await goOn(workflow);
  const detail = await client.request('workflow.get', { workflowId });
  const entries = await Promise.all(
    detail.runs.map(async ({ id }) => [id, await client.request('run.entries', { runId: id })] as const),
  );
  const left = (await attentionOf()).asleep.filter(({ request }) => request.workflowId === workflowId).length;
  return {
    owner: connected.owner,
    notes,
    stuck,
    before,
    after: { events: await eventsOf(conversationId), detail, entries, left },
  };
}

async function attentionOf(): Promise<Attention> {
  const first = Promise.withResolvers<Attention>();
  const leave = await client.subscribe('attention', { canAnswer: false }, first.resolve);
  const state = await first.promise;
  leave();
  return state;
}

async function eventsOf(conversationId: string): Promise<DurableEvent[]> {
  const events: DurableEvent[] = [];
  for (;;) {
    const page = await client.request('conversation.events', { conversationId, after: events.at(-1)?.seq ?? 0 });
    if (page.length === 0) return events;
    events.push(...page);
  }
}

async function goOn({ id: workflowId, conversationId }: WorkflowRow): Promise<void> {
  const ended = Promise.withResolvers<null>();
  await client.subscribe('conversation', { conversationId }, ({ type }) => {
    if (type === 'workflow-end') ended.resolve(null);
  });
  await answerAll(client);
  await client.request('workflow.resume', { workflowId });
  await ended.promise;
}

async function answerAll(to: Client): Promise<void> {
  const answered = new Set<string>();
  await to.subscribe('attention', { canAnswer: true }, ({ questions }) => {
    for (const { request, decisions } of questions)
      for (const [item, decision] of decisions.entries()) {
        const key = `${request.id}/${item}`;
        if (decision !== null || answered.has(key)) continue;
        answered.add(key);
        void to.request('approval.decide', {
          approvalId: request.id,
          item,
          answer: { kind: 'allow', confirmed: true },
        });
      }
  });
}
