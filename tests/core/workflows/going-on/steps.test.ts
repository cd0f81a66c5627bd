/** A fork that goes on from a step: what was done until there is copied, and the rest is done. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunRow } from '#contract/view.ts';
import { sha256 } from '#core/base/hash.ts';
import { fromSnapshot, reduce, type View } from '#lib/view/reduce.ts';
import { blocksOf } from '#lib/view/transcript.ts';
import { yes } from '../../../support/compose.ts';
import type { WireBody } from '../../../support/fake-model/request.ts';
import { CHILD, LEAD, threeChildren } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { asked, goOn, lastCall, nothing, snapshotOf, told } from './going-on.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();
type Engine = Awaited<ReturnType<typeof start>>;

/** Work with a file, and a sub-agent of the folder beside one that the lead makes up. */
const SCOUT = (words: string) => `---\nname: scout\ndescription: Looks\nrole: subagent\n---\n${words}\n`;
const scouting = (): Script =>
  new Script()
    .on({ ...LEAD, step: 1 })
    .reply([toolUse('write_file', { path: 'plan.md', content: 'first' }), toolUse('read_file', { path: 'gone.md' })])
    .on({ ...LEAD, step: 2 })
    .reply([
      toolUse('parallel_tasks', {
        operation: 'execute_batch',
        tasks: [
          { agent_id: 'scout', prompt: 'Look at the cellar.' },
          { agent_id: 'code-reviewer', prompt: 'Look at the attic.' },
        ],
      }),
    ])
    .on({ ...CHILD, step: 1 })
    .reply([toolUse('read_file', { path: 'README.md' })])
    .on(CHILD)
    .reply((seen) => [text(`# Report\n\nFound: ${seen.prompt}`)])
    .on({})
    .reply([text('Done.')]);

async function trusted(engine: Engine, words: string): Promise<void> {
  const path = '.triad/agents/scout.md';
  await writeFile(join(engine.folder, path), SCOUT(words));
  await engine.trust.set(engine.folder, new Map([[path, sha256(SCOUT(words))]]));
}

async function scouted(person = yes) {
  const engine = await start(scouting(), { person, files: { 'README.md': 'it', '.triad/agents/scout.md': SCOUT('') } });
  await trusted(engine, 'Look well.');
  const { workflowId } = await engine.ask('Look around');
  return { engine, workflowId, ...(await told(engine, workflowId)) };
}

test('a fork at the last step of three sub-agents sends one request and requests no approval', async () => {
  const { questions, person } = asked();
  // Also where a rule wants each start to be asked about: nothing starts.
  const rules = '[[permissions.rules]]\neffect = "ask"\ntool = "spawn_agent"\n';
  const engine = await start(threeChildren(), { person, rules });
  const { workflowId, outcome } = await engine.ask('Look at all of it');
  expect(outcome).toBe('completed');
  const first = await told(engine, workflowId);
  const before = (await snapshotOf(engine, engine.conversationId)).conversation.usage;
  questions.length = 0;

  const fork = await goOn(engine, { workflowId, entry: lastCall(first.entries) });
  const said = ({ messages, system }: WireBody) => JSON.stringify({ messages, system });
  expect(fork.asks.map(({ body }) => said(body))).toEqual([said(engine.model.requests[7]!.body)]);
  expect(questions).toEqual([]);
  expect(fork.workflow.from).toEqual({
    conversationId: engine.conversationId,
    workflowId,
    runId: first.lead.id,
    entry: lastCall(first.entries),
  });
  const there = { conversationId: engine.conversationId, workflowId };
  expect(fork.entries.map(({ kind, copiedFrom }) => [kind, copiedFrom])).toEqual([
    ...['user', 'assistant', 'tool', 'tool', 'tool'].map((kind) => [kind, { ...there, runId: first.lead.id }]),
    ['system', undefined],
    ['assistant', undefined],
  ]);
  expect(
    fork.children.map(({ copiedFrom, usage, outcome: how, text: report }) => ({ copiedFrom, usage, how, report })),
  ).toEqual(
    first.children.map(({ id, text: report }) => ({
      copiedFrom: { ...there, runId: id },
      how: 'completed',
      report,
      usage: expect.objectContaining(nothing) as RunRow['usage'],
    })),
  );
  // Its one request is all that is counted; the first conversation has what it had.
  expect(fork.requests).toHaveLength(1);
  expect(fork.conversation.usage).toMatchObject({ requests: 1 });
  expect((await snapshotOf(engine, engine.conversationId)).conversation.usage).toEqual(before);
  // Who looks at a sub-agent there sees what it did, and where.
  const [child] = fork.children;
  const entries = await engine.runtime.request('run.entries', { runId: child!.id });
  expect(entries.every(({ copiedFrom }) => copiedFrom?.runId === first.children[0]!.id)).toBe(true);
  // Nor is anybody asked from before their reports.
  expect((await goOn(engine, { workflowId, entry: 1 })).asks).toHaveLength(1);
  expect(questions).toEqual([]);
  // Nothing that is copied goes on alone.
  await expect(engine.runtime.request('run.retry', { runId: child!.id })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(engine.conversationId) as string,
  });
});

test('the events of a continued fork give the view of a reload, which marks the copied calls', async () => {
  const { engine, workflowId, entries } = await scouted();
  const { made } = await goOn(engine, { workflowId, entry: lastCall(entries) });
  const whole = fromSnapshot(await snapshotOf(engine, made.id));
  const events = await engine.runtime.request('conversation.events', { conversationId: made.id, after: 0 });
  const end = events.findLast((event) => event.type === 'workflow-end');
  expect(end).toMatchObject({
    subAgents: ['scout', 'code-reviewer'].map((agent) => ({ agent, status: 'completed', outcome: 'completed' })),
  });
  const { usage, ...conversation } = whole.conversation;
  const first = {
    ...conversation,
    lastSeq: 0,
    usage: { ...usage, ...nothing, unpriced: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  };
  const empty: View = {
    ...whole,
    seq: 0,
    conversation: first,
    workflows: [],
    runs: [],
    entries: new Map(),
    calls: [],
    approvals: [],
  };
  const live = reduce(empty, events);
  expect(live.workflows).toEqual(whole.workflows);
  expect(live.runs).toEqual(whole.runs);
  expect(live.conversation.usage).toEqual(usage);
  const run = live.runs.find(({ parentRunId }) => parentRunId === null)!;
  expect(live.entries.get(run.id)).toEqual(whole.entries.get(run.id));
  const blocks = blocksOf({ ...live, run, entries: live.entries.get(run.id) ?? [], open: null, children: live.runs });
  const marks = blocks.map((block) =>
    block.kind === 'call'
      ? [block.call.name, block.call.result?.copiedFrom !== undefined]
      : [block.kind, 'copiedFrom' in block],
  );
  expect(marks).toEqual([
    ['user', false],
    ['write_file', true],
    ['read_file', true],
    ['parallel_tasks', true],
    ['system', false],
    ['text', false],
  ]);
});

test('a fork at a step of one batch agent continues that agent with its first settings and reports both agents', async () => {
  const { questions, person } = asked();
  const { engine, workflowId, children, entries } = await scouted(person);
  await writeFile(join(engine.folder, 'plan.md'), 'mine');
  await trusted(engine, 'Look better.');
  questions.length = 0;

  const scout = children.find(({ agent }) => agent === 'scout')!;
  const fork = await goOn(engine, { workflowId, runId: scout.id, entry: 2 });
  expect(questions.map(({ request }) => request.subject)).toMatchObject([
    {
      kind: 'envelopes',
      items: [{ envelope: { agent: 'scout', systemPrompt: expect.stringContaining('Look well.') as string } }],
    },
  ]);
  expect(fork.children.map(({ agent, copiedFrom }) => [agent, copiedFrom != null])).toEqual([
    ['scout', false],
    ['code-reviewer', true],
  ]);
  // Its last request, and what its lead makes of its report.
  expect(fork.asks).toHaveLength(2);
  const result = JSON.parse(fork.entries.findLast((one) => one.kind === 'tool')?.output ?? '') as {
    results: unknown[];
  };
  expect(result.results).toMatchObject([
    { agent_id: 'scout', success: true, report: expect.stringContaining('cellar') as string },
    { agent_id: 'code-reviewer', success: true, report: expect.stringContaining('attic') as string },
  ]);
  expect(await readFile(join(engine.folder, 'plan.md'), 'utf8')).toBe('mine');
  expect(await engine.runtime.request('change.list', { conversationId: fork.made.id })).toEqual([]);

  // Only what would work has to be there, and trusted.
  await engine.runtime.request('trust.revoke', { folder: engine.folder });
  const step = { conversationId: engine.conversationId, workflowId, goOn: true };
  await expect(
    engine.runtime.request('conversation.fork', { ...step, runId: scout.id, entry: 2 }),
  ).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('not trusted') as string });
  expect((await goOn(engine, { workflowId, entry: lastCall(entries) })).asks).toHaveLength(1);
});

test('a failed call is copied with its error and not repeated', async () => {
  const { engine, workflowId, entries, lead } = await scouted();
  await writeFile(join(engine.folder, 'gone.md'), 'there');
  const { entries: own, asks } = await goOn(engine, { workflowId, entry: lastCall(entries) });
  const results = own.flatMap((one) => (one.kind === 'tool' ? [[one.name, one.status, one.copiedFrom?.runId]] : []));
  expect(results.toSorted()).toEqual([
    ['parallel_tasks', 'completed', lead.id],
    ['read_file', 'error', lead.id],
    ['write_file', 'completed', lead.id],
  ]);
  expect(asks).toHaveLength(1);
});
