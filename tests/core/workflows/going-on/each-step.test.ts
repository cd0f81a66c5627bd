/** A fork at each kind of step of one workflow: what was finished is not asked again, and nothing of it counts twice. */
import { expect, test } from 'vitest';
import { inputTokensOf } from '#domain/tally.ts';
import { withAgents } from '../../../support/compose.ts';
import { definitionOf } from '../../../support/envelope.ts';
import type { Seen } from '../../../support/fake-model/request.ts';
import { delegateTo, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { pairOf, PAIR } from '../../../support/flows/flows.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { inFullRun } from '../../../support/samples.ts';
import { asked, goOn, snapshotOf, told } from './going-on.ts';

const { start } = sharedEngine();

/** A sub-agent that writes a file, a chain of two agents, and a pair; each with a call before its answer. */
const AGENTS = [
  definitionOf({ name: 'research', systemPrompt: 'You research.', next: ['draft'] }),
  definitionOf({ name: 'draft', systemPrompt: 'You draft.' }),
  ...pairOf({ flow: { type: 'judge' }, as: 'sub' }),
];
const look = toolUse('list_directory', { path: '.' });
const PROMPT = 'Write alpha.md.';
const WHO = { research: /You research\./, draft: /You draft\./, [PAIR]: /You are the worker/, checker: /the checker/ };

function script(): Script {
  const all = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([
      text('I split this into three parts.'),
      spawn({ name: 'alpha', prompt: PROMPT }),
      delegateTo('research', 'Find facts.'),
      delegateTo(PAIR, 'Write the page.'),
    ])
    .on(LEAD)
    .reply([text('All is done.')])
    .on({ prompt: /Write alpha/, step: 1 })
    .reply([toolUse('write_file', { path: 'alpha.md', content: 'alpha' })]);
  for (const system of [WHO.research, WHO.draft, WHO[PAIR], WHO.checker]) all.on({ system, step: 1 }).reply([look]);
  return all
    .on({ system: WHO.checker })
    .reply([toolUse('task_complete', { summary: 'Good.' })])
    .on({})
    .reply([text('# Report\n\nFound.')]);
}

function whoAsks({ seen }: { seen: Seen }): string {
  if (/You are the lead/.test(seen.system)) return 'lead';
  return Object.entries(WHO).find(([, system]) => system.test(seen.system))?.[0] ?? 'alpha';
}

/** Who is asked about, and whose requests are made, after a fork at each step. The marked ones in the full run alone. */
const STEPS = `
  lead 0 user             | alpha pair research | alpha×2 checker×2 draft×2 lead×2 pair×2 research×2
  lead 1 assistant        |                     | lead
  lead 2 tool             |                     | lead
* lead 3 tool             |                     | lead
  lead 4 tool             |                     | lead
  alpha 0 user            | alpha               | alpha×2 lead
  alpha 1 assistant       | alpha               | alpha lead
  alpha 2 tool            | alpha               | alpha lead
  alpha 3 assistant       | alpha               | lead
* research 0 user         | research            | draft×2 lead research×2
* research 1 assistant    | research            | draft×2 lead research
  research 2 tool         | research            | draft×2 lead research
* research 3 assistant    | research            | draft×2 lead
* pair 0 user             | pair                | checker×2 lead pair×2
* pair 1 assistant        | pair                | checker×2 lead pair
  pair 2 tool             | pair                | checker×2 lead pair
* pair 3 assistant        | pair                | checker×2 lead
  pair 4 handoff          | pair                | lead
  pair 5 handoff          | pair                | lead
  draft 0 user            | research            | draft×2 lead
  draft 1 assistant       | research            | draft lead
  draft 2 tool            | research            | draft lead
* draft 3 assistant       | research            | lead
  checker 0 user          | pair                | checker×2 lead
  checker 1 assistant     | pair                | checker lead
  checker 2 tool          | pair                | checker lead
* checker 3 assistant     | pair                | lead
* checker 4 tool          | pair                | lead
* checker 5 assistant     | pair                | lead
`
  .trim()
  .split('\n')
  .filter((line) => inFullRun || !line.startsWith('*'))
  .map((line) => line.replace(/^\*?\s+/, '').split(/\s*\|\s*/));

const counted = (names: readonly string[]): string =>
  [...Map.groupBy(names.toSorted(), (name) => name)]
    .map(([name, { length }]) => (length === 1 ? name : `${name}×${length}`))
    .join(' ');

test('a fork at each kind of step requests and counts exactly the work that is missing', async () => {
  const { questions, person } = asked();
  const engine = await start(script(), { person });
  const { runtime, conversationId } = engine;
  withAgents(engine.agents, AGENTS, engine.folder);
  const { workflowId, outcome } = await engine.ask('Do it');
  expect(outcome).toBe('completed');
  const first = await told(engine, workflowId);
  const before = await snapshotOf(engine, conversationId);
  const today = async () => {
    const now = Date.now();
    const days = [{ from: new Date(now - 86_400_000).toISOString(), to: new Date(now + 86_400_000).toISOString() }];
    return (await runtime.request('workflow.days', { folder: engine.folder, days })).days[0]!;
  };
  const ofDay = await today();
  let { tokens, nanoUsd } = ofDay;
  let last: Awaited<ReturnType<typeof goOn>> | null = null;
  const anew: string[] = [];

  for (const [step = '', asks, requests] of STEPS) {
    const [agent, entry, kind] = step.split(' ');
    const run = first.runs.find((one) => one.agent === agent)!;
    const entries = await runtime.request('run.entries', { runId: run.id });
    expect(entries[Number(entry)]?.kind, step).toBe(kind);
    questions.length = 0;
    const fork = await goOn(engine, { workflowId, runId: run.id, entry: Number(entry) });
    const names = questions.flatMap(({ request: { subject } }) =>
      subject.kind === 'envelopes' ? subject.items.map(({ envelope }) => envelope.agent) : [subject.kind],
    );
    expect(fork.lead, step).toMatchObject({ outcome: 'completed', text: 'All is done.' });
    expect([counted(names), counted(fork.asks.map(whoAsks))], step).toEqual([asks, requests]);
    expect(fork.conversation.usage.requests, step).toBe(fork.asks.length);
    const ends = fork.children.map(({ agent: name, outcome: how }) => `${name} ${how}`);
    expect(ends.toSorted(), step).toEqual(first.children.map(({ agent: name }) => `${name} completed`).toSorted());
    const { usage } = fork.conversation;
    tokens += inputTokensOf(usage) + usage.outputTokens;
    nanoUsd += usage.nanoUsd;
    const { items } = await runtime.request('execution.list', { limit: 6 });
    const worked = items.flatMap((one) => (one.workflow_id === fork.workflow.id ? [one.sub_agent_name] : []));
    const copied = fork.children.flatMap((one) => (one.copiedFrom ? [one.agent] : []));
    expect([...worked, ...copied].toSorted(), step).toEqual(fork.children.map(({ agent: name }) => name).toSorted());
    if (step === 'lead 0 user') anew.push(fork.made.id);
    if (step === 'lead 4 tool') last = fork;
  }

  // Nothing of it counts twice: in the first conversation, in the totals of the day, in the lists and in the search.
  expect((await snapshotOf(engine, conversationId)).conversation.usage).toEqual(before.conversation.usage);
  expect((await snapshotOf(engine, conversationId)).workflows[0]?.usage).toEqual(before.workflows[0]?.usage);
  expect(await today()).toMatchObject({ count: STEPS.length + 1, tokens, nanoUsd });
  const fork = last!;
  const hits = await runtime.request('history.search', { text: 'I split this into three parts' });
  expect([...new Set(hits.items.map((hit) => hit.conversationId))].sort()).toEqual([conversationId, ...anew].sort());
  expect((await runtime.request('conversation.check', { conversationId: fork.made.id })).missing).toEqual([]);

  // What a copy shows of changes is undone in the first conversation alone.
  const alpha = fork.children.find(({ agent }) => agent === 'alpha')!;
  expect(alpha.copiedFrom).toEqual({ conversationId, workflowId, runId: first.children[0]!.id });
  expect(await runtime.request('change.list', { conversationId: fork.made.id })).toEqual([]);
  const written = (await runtime.request('run.entries', { runId: alpha.id })).find(({ kind }) => kind === 'tool');
  const toolCallId = written?.kind === 'tool' ? written.toolCallId : '';
  for (const target of [{ runId: alpha.id }, { runId: alpha.id, toolCallId }, { fromWorkflowId: fork.workflow.id }])
    await expect(
      runtime.request('change.undo', { conversationId: fork.made.id, target }),
      JSON.stringify(target),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(conversationId) as string });
  await runtime.request('change.undo', { conversationId, target: { runId: first.children[0]!.id } });
});
