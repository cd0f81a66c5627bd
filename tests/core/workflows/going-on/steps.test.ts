/** A fork that goes on from a step: what was done well until there is taken from the cache of steps, and the rest is asked. */
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

const leads = ({ tools = [] }: WireBody): boolean => tools.some(({ name }) => name === 'spawn_agent');

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

test('from the last step of three sub-agents exactly the one request is made that differs, and nobody is asked', async () => {
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
  expect(fork.asks).toHaveLength(1);
  expect(JSON.stringify(fork.asks[0]?.body)).toBe(JSON.stringify(engine.model.requests[7]?.body));
  expect(questions).toEqual([]);
  expect(fork.workflow.from).toEqual({
    ...{ conversationId: engine.conversationId, workflowId, runId: first.lead.id },
    entry: lastCall(first.entries),
  });
  const paid = { conversationId: engine.conversationId, workflowId };
  expect(fork.entries.map(({ kind, cached }) => [kind, cached?.runId])).toEqual([
    ['user', undefined],
    ...Array.from({ length: 4 }, (_, n) => [n === 0 ? 'assistant' : 'tool', first.lead.id]),
    ['assistant', undefined],
  ]);
  expect(
    fork.children.map(({ cached, usage, outcome: how, text: report }) => ({ cached, usage, how, report })),
  ).toEqual(
    first.children.map(({ id, envelopeHash, text: report }) => ({
      ...{ cached: { ...paid, runId: id, key: envelopeHash }, how: 'completed', report },
      usage: expect.objectContaining(nothing) as RunRow['usage'],
    })),
  );
  // Its one request is all that is counted; the first conversation has what it had.
  expect(fork.requests).toHaveLength(1);
  expect(fork.conversation.usage).toMatchObject({ requests: 1 });
  expect(fork.workflow.usage).toBeDefined();
  expect((await snapshotOf(engine, engine.conversationId)).conversation.usage).toEqual(before);
  // Who looks at a sub-agent there sees what it did, and where that was paid.
  const [child] = fork.children;
  const entries = await engine.runtime.request('run.entries', { runId: child!.id });
  expect(entries.every(({ cached }) => cached?.runId === first.children[0]!.id)).toBe(true);
  const { items } = await engine.runtime.request('execution.list', {});
  expect(items.filter(({ workflow_id }) => workflow_id === fork.workflow.id)).toEqual([]);
  expect((await engine.runtime.request('conversation.check', { conversationId: fork.made.id })).missing).toEqual([]);
});

test('all its events, one by one, give the view that a reload gives, and its transcript says what is from the cache', async () => {
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
  const live = events.reduce(reduce, empty);
  expect(live.workflows).toEqual(whole.workflows);
  expect(live.runs).toEqual(whole.runs);
  expect(live.conversation.usage).toEqual(usage);
  const run = live.runs.find(({ parentRunId }) => parentRunId === null)!;
  expect(live.entries.get(run.id)).toEqual(whole.entries.get(run.id));
  const blocks = blocksOf({ ...live, run, entries: live.entries.get(run.id) ?? [], open: null, children: live.runs });
  const marks = blocks.map((block) =>
    block.kind === 'call'
      ? [block.call.name, block.call.result?.cached !== undefined]
      : [block.kind, 'cached' in block],
  );
  expect(marks).toEqual([
    ['user', false],
    ['write_file', true],
    ['read_file', false],
    ['parallel_tasks', true],
    ['text', false],
  ]);
});

test('what differs in the middle is asked from there on: a sub-agent that is defined anew, with its yes, not the one beside it', async () => {
  const { questions, person } = asked();
  const { engine, workflowId, entries } = await scouted(person);
  await writeFile(join(engine.folder, 'plan.md'), 'mine');
  await trusted(engine, 'Look better.');
  questions.length = 0;

  const fork = await goOn(engine, { workflowId, entry: lastCall(entries) });
  expect(questions.map(({ request }) => request.subject)).toMatchObject([
    {
      kind: 'envelopes',
      items: [{ envelope: { agent: 'scout', systemPrompt: expect.stringContaining('Look better.') as string } }],
    },
  ]);
  expect(fork.children.map(({ agent, cached }) => [agent, cached !== undefined])).toEqual([
    ['scout', false],
    ['code-reviewer', true],
  ]);
  // Its two requests, and what its lead makes of its report.
  expect(fork.asks.map(({ body }) => leads(body))).toEqual([false, false, true]);
  const result = JSON.parse(fork.entries.findLast((one) => one.kind === 'tool')?.output ?? '') as {
    results: unknown[];
  };
  expect(result.results).toMatchObject([
    { agent_id: 'scout', success: true, report: expect.stringContaining('cellar') as string },
    { agent_id: 'code-reviewer', success: true, report: expect.stringContaining('attic') as string },
  ]);
  expect(await readFile(join(engine.folder, 'plan.md'), 'utf8')).toBe('mine');
  expect(await engine.runtime.request('change.list', { conversationId: fork.made.id })).toEqual([]);
});

test('what ended with an error is done again, and what then differs is asked', async () => {
  const { engine, workflowId, entries, lead } = await scouted();
  const same = await goOn(engine, { workflowId, entry: lastCall(entries) });
  // The file is still not there: the call is made again, with the same result, and all else is known.
  expect(same.entries.filter((one) => one.kind === 'tool').map(({ name, cached }) => [name, cached?.runId])).toEqual([
    ['write_file', lead.id],
    ['read_file', undefined],
    ['parallel_tasks', lead.id],
  ]);
  expect(same.asks).toHaveLength(1);
  await writeFile(join(engine.folder, 'gone.md'), 'there');
  const other = await goOn(engine, { workflowId, entry: lastCall(entries) });
  // The lead is asked for its second and third turn, and its sub-agents come from the cache no more.
  expect(other.asks.filter(({ body }) => leads(body))).toHaveLength(2);
  expect(other.entries.filter(({ kind }) => kind === 'assistant').map(({ cached }) => cached !== undefined)).toEqual([
    true,
    false,
    false,
  ]);
});
