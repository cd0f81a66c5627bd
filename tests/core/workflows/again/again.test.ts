/** A sub-agent runs again in a fork: work before it is copied, it starts after a yes, and its lead goes on. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Envelope } from '#contract/agent.ts';
import type { Approval } from '#contract/approval.ts';
import { setFields } from '../../../support/commit-items.ts';
import { yes } from '../../../support/compose.ts';
import { CHILD, delegateTo, LEAD, spawn, threeChildren } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { chainScript, startChain } from '../../../support/flows/chains.ts';
import { done, pair, PAIR, startFlow } from '../../../support/flows/flows.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { asked, goOn, nothing, snapshotOf, told } from '../going-on/going-on.ts';

const { start, configFolder } = sharedEngine();
type Engine = Pick<Awaited<ReturnType<typeof start>>, 'runtime' | 'model' | 'ask' | 'conversationId'>;

const script = (): Script =>
  new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Find the wombat.', reason: 'Wombat hunt', tools: ['list_directory'] })], {
      usage: { input: 100, output: 10 },
    })
    .on({ ...CHILD, step: 1 })
    .reply([toolUse('list_directory', { path: '.' }, { id: 'call_list' })], { usage: { input: 40, output: 5 } })
    .on(CHILD)
    .reply([text('# Report\n\nIt is in the cellar.')], { usage: { input: 60, output: 7 } })
    .on({})
    .reply([text('Done.')], { usage: { input: 100, output: 10 } });

/** The first run, and the number of requests until its workflow ended. */
async function first(engine: Engine, message = 'Look') {
  const { workflowId } = await engine.ask(message);
  const { children, lead } = await told(engine, workflowId);
  return { workflowId, lead, row: children[0]!, runId: children[0]!.id, count: engine.model.requests.length };
}

const forkOf = (engine: Engine, one: { workflowId: string; runId: string }, approve?: 'all' | 'none') =>
  engine.runtime.request('conversation.fork', {
    conversationId: engine.conversationId,
    workflowId: one.workflowId,
    runId: one.runId,
    goOn: true,
    ...(approve && { approve }),
  });

type Requests = Engine['model']['requests'];
const bodies = (requests: Requests) => requests.map(({ body }) => JSON.stringify(body));
/** Requests of sub-agents: those of the lead contain ids and times. */
const ofSubAgents = (requests: Requests) => requests.filter(({ seen }) => !seen.tools.includes('spawn_agent'));

/** Answers the first `count` questions with yes, and leaves all later ones open. */
function yesTo(count: number) {
  const questions: Approval[] = [];
  const person = (approval: Approval, item: number) => {
    questions.push(approval);
    return questions.length > count ? null : yes(approval, item);
  };
  return { questions, person };
}

test('repeats the requests of the first run byte for byte, then asks the lead; both runs link to each other', async () => {
  const { questions, person } = asked();
  const engine = await start(script(), { person });
  const one = await first(engine);
  const fork = await goOn(engine, { workflowId: one.workflowId, runId: one.runId });
  const before = ofSubAgents(engine.model.requests.slice(0, one.count));
  expect(before).toHaveLength(2);
  expect(bodies(ofSubAgents(fork.asks))).toEqual(bodies(before));
  expect(fork.asks).toHaveLength(3);

  const link = { conversationId: engine.conversationId, workflowId: one.workflowId, runId: one.runId };
  expect(fork.workflow.from).toEqual(link);
  expect(fork.conversation.from).toMatchObject({ conversationId: engine.conversationId, step: { runId: one.runId } });
  const [child] = fork.children;
  expect(child).toMatchObject({ kind: 'spawn', depth: 1, outcome: 'completed', text: one.row.text, again: link });
  expect(child?.copiedFrom).toBeUndefined();
  expect(child?.envelopeHash).toBe(one.row.envelopeHash);
  expect(questions.map(({ request }) => request.subject)).toMatchObject([
    { kind: 'envelopes', operation: 'spawn' },
    { kind: 'envelopes', operation: 'spawn', items: [{ runId: child?.id, hash: one.row.envelopeHash, again: link }] },
  ]);
  const { workflow, runs } = await engine.runtime.request('workflow.get', { workflowId: one.workflowId });
  expect(workflow.forks).toMatchObject([{ conversationId: fork.made.id, end: 'before', step: { runId: one.runId } }]);
  expect(runs.find(({ id }) => id === one.runId)).toEqual(one.row);
});

test('copies earlier messages and finished siblings without new approvals or requests', async () => {
  const { questions, person } = asked();
  const engine = await start(threeChildren(), { person });
  await engine.ask('Look at all of it');
  const earlier = engine.model.requests.length;
  const { workflowId } = await engine.ask('Look at all of it');
  const [alpha, beta, gamma] = (await told(engine, workflowId)).children;
  questions.length = 0;

  const fork = await goOn(engine, { workflowId, runId: beta!.id });
  expect(questions.map(({ request: { subject } }) => subject)).toMatchObject([
    { items: [{ envelope: { agent: 'beta' }, hash: beta!.envelopeHash }] },
  ]);
  expect(fork.children.map(({ agent, copiedFrom, again }) => [agent, copiedFrom?.runId, again?.runId])).toEqual([
    ['alpha', alpha!.id, undefined],
    ['beta', undefined, beta!.id],
    ['gamma', gamma!.id, undefined],
  ]);
  const own = bodies(ofSubAgents(fork.asks));
  expect(fork.asks).toHaveLength(own.length + 1);
  expect(own.every((body) => body.includes('beta'))).toBe(true);
  const there = bodies(engine.model.requests.slice(earlier));
  // Later ones contain ids of calls that the model has made up anew.
  expect(there.filter((body) => body === own[0])).toHaveLength(2);
  expect(fork.requests).toHaveLength(fork.asks.length);
  expect(fork.children.filter(({ copiedFrom }) => copiedFrom).map(({ usage }) => usage)).toMatchObject([
    nothing,
    nothing,
  ]);
});

test('counts the usage of original and repeat once, each in its own conversation', async () => {
  const engine = await start(script());
  const one = await first(engine);
  const { runtime, conversationId } = engine;
  const old = () => runtime.request('conversation.get', { conversationId });
  const before = await old();
  const day = { from: '2000-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  const spent = async () => (await runtime.request('workflow.days', { folder: engine.folder, days: [day] })).days[0]!;
  const spentBefore = await spent();
  const fork = await goOn(engine, { workflowId: one.workflowId, runId: one.runId });
  const { workflow } = await runtime.request('workflow.get', { workflowId: fork.workflow.id });
  expect(workflow.usage).toMatchObject({ requests: 3, inputTokens: 200, outputTokens: 22 });
  expect(fork.conversation.usage).toEqual(workflow.usage);
  expect(fork.children[0]?.usage).toMatchObject({ requests: 2, inputTokens: 100, outputTokens: 12 });
  expect((await old()).usage).toEqual(before.usage);
  expect(spentBefore).toMatchObject({ tokens: 332 });
  expect(await spent()).toMatchObject({ tokens: 332 + 222 });
  const listed = (await runtime.request('execution.list', {})).items;
  expect(listed.filter(({ workflow_id: id }) => [one.workflowId, workflow.id].includes(id))).toHaveLength(2);
});

test('starts nothing before approval, and a rejection ends the fork without a request of the lead', async () => {
  const { questions, person } = yesTo(1);
  const engine = await start(script(), { person });
  const one = await first(engine);
  const { id } = await forkOf(engine, one);
  await expect.poll(() => questions.length).toBe(2);
  const waiting = await snapshotOf(engine, id);
  expect(waiting.runs.map(({ status, kind }) => [kind, status])).toEqual([
    ['lead', 'running'],
    ['spawn', 'pending'],
  ]);
  const { request } = questions[1]!;
  await expect(
    engine.runtime.request('approval.ask', { approvalId: request.id, question: 'Why?' }),
  ).rejects.toMatchObject({ code: 'conflict' });
  expect(engine.model.requests).toHaveLength(one.count);
  const answer = { kind: 'reject', reason: 'Not now' } as const;
  await engine.runtime.request('approval.decide', { approvalId: request.id, item: 0, answer });
  await expect.poll(async () => (await snapshotOf(engine, id)).workflows.at(-1)?.outcome).toBe('rejected');
  const { workflows, runs } = await snapshotOf(engine, id);
  expect(workflows.at(-1)?.error).toMatchObject({
    code: 'not_allowed',
    message: 'The sub-agent was not started again',
  });
  expect(runs.find(({ again }) => again)).toMatchObject({ outcome: 'rejected', attempt: 0 });
  expect(engine.model.requests).toHaveLength(one.count);
  const none = await forkOf(engine, one, 'none');
  await expect.poll(async () => (await snapshotOf(engine, none.id)).workflows.at(-1)?.outcome).toBe('rejected');
  expect(engine.model.requests).toHaveLength(one.count);
});

test.for(['a rule', 'the mode'])(
  '%s approves a spawn of the lead, but not a repeat that the person requests',
  async (by) => {
    const { questions, person } = yesTo(0);
    const rules =
      by === 'a rule' ? '[[permissions.rules]]\neffect = "allow"\ntool = "spawn_agent"\npattern = "**"\n' : '';
    const engine = await start(script(), { person, rules });
    const mode = (value: 'auto' | null) => engine.runtime.request('settings.set', { path: 'permissions.mode', value });
    if (by === 'the mode') await mode('auto');
    onTestFinished(() => (by === 'the mode' ? mode(null).then(() => undefined) : undefined));
    const one = await first(engine);
    expect(questions).toEqual([]);
    const { id } = await forkOf(engine, one);
    await expect.poll(() => questions.length).toBe(1);
    const { request } = questions[0]!;
    // One yes is for this start alone, and silence is never a yes.
    expect(request).not.toHaveProperty('grant');
    expect(request).not.toHaveProperty('onTimeout');
    expect(engine.model.requests).toHaveLength(one.count);
    const no = { approvalId: request.id, item: 0, answer: { kind: 'reject', reason: '' } } as const;
    await engine.runtime.request('approval.decide', no);
    await expect.poll(async () => (await snapshotOf(engine, id)).workflows.at(-1)?.outcome).toBe('rejected');
    expect(engine.model.requests).toHaveLength(one.count);
  },
);

test('the question about a repeat includes a failed sibling of its batch, and no rule answers the question', async () => {
  const { questions, person } = yesTo(0);
  const tasks = ['first', 'second'].map((part) => ({
    agent_id: 'code-reviewer',
    prompt: `Review the ${part} half.`,
    reason: 'Review one half',
  }));
  const halves = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([toolUse('parallel_tasks', { operation: 'execute_batch', tasks, wait_all: true })])
    .on({ ...CHILD, prompt: /second half/ })
    .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'no' } })
    .on({})
    .reply([text('Done.')]);
  const rules = '[[permissions.rules]]\neffect = "allow"\ntool = "parallel_tasks"\npattern = "**"\n';
  const engine = await start(halves, { person, rules });
  const one = await first(engine);
  expect(questions).toEqual([]);
  const { id } = await forkOf(engine, one);
  await expect.poll(() => questions.length).toBe(2);
  const [{ request, decisions }] = (await snapshotOf(engine, id)).approvals as [Approval];
  expect(decisions).toEqual([null, null]);
  expect(request.subject).toMatchObject({ items: [{ again: { runId: one.runId } }, {}] });
  expect(request).not.toHaveProperty('onTimeout');
  expect(engine.model.requests).toHaveLength(one.count);
  for (const item of [0, 1])
    await engine.runtime.request('approval.decide', {
      approvalId: request.id,
      item,
      answer: { kind: 'reject', reason: '' },
    });
  await expect.poll(async () => (await snapshotOf(engine, id)).workflows.at(-1)?.outcome).toBe('rejected');
  expect(engine.model.requests).toHaveLength(one.count);
});

test('rejects a repeat without leaving a fork if the folder is missing', async () => {
  const engine = await start(script());
  const one = await first(engine);
  const conversations = async () => (await engine.runtime.request('conversation.list', {})).items.length;
  const count = await conversations();
  rmSync(engine.folder, { recursive: true });
  await expect(forkOf(engine, one)).rejects.toMatchObject({ code: 'not_found' });
  expect(await conversations()).toBe(count);
});

test('settings edited in the approval are used with their own hash, and the lead sees the change', async () => {
  let questions = 0;
  const person = (approval: Approval) => {
    questions += 1;
    const { subject } = approval.request;
    if (questions === 1 || subject.kind !== 'envelopes') return { kind: 'allow' } as const;
    return { kind: 'edit', value: { ...subject.items[0]!.envelope, prompt: 'Find the marmot.' } } as const;
  };
  const engine = await start(script(), { person });
  const { workflowId, runId, row } = await first(engine);
  const fork = await goOn(engine, { workflowId, runId });
  const [child] = fork.children;
  expect(child?.envelope).toEqual({ ...row.envelope, prompt: 'Find the marmot.' });
  expect(child?.envelopeHash).not.toBe(row.envelopeHash);
  expect(bodies(fork.asks)[0]).toContain('Find the marmot.');
  expect(bodies(fork.asks).at(-1)).toContain('changed_by_person');
});

test('rejects a repeat of changed settings, of an unfinished run, of a lead and of a deleted conversation', async () => {
  const { questions, person } = yesTo(1);
  const engine = await start(script(), { person });
  const one = await first(engine);
  const { runtime, conversationId, store } = engine;
  const conversations = async () => (await runtime.request('conversation.list', {})).items.length;
  const count = await conversations();
  const refused = (runId: string) => forkOf(engine, { ...one, runId }).catch((error: unknown) => error);
  expect(await refused(one.lead.id)).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('lead') as string,
  });
  const tamper = (envelope: Envelope) => store.commit([setFields('run', one.runId, { envelope })]);
  await tamper({ ...one.row.envelope, prompt: 'Delete everything.' });
  expect(await refused(one.runId)).toMatchObject({ code: 'envelope_mismatch' });
  await tamper(one.row.envelope);
  expect(await conversations()).toBe(count);
  const { id } = await forkOf(engine, one);
  await expect.poll(() => questions.length).toBe(2);
  const { workflows, runs } = await snapshotOf(engine, id);
  const waits = { conversationId: id, workflowId: workflows.at(-1)!.id, runId: runs.find(({ again }) => again)!.id };
  await expect(runtime.request('conversation.fork', { ...waits, goOn: true })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('not ended') as string,
  });
  await runtime.request('workflow.stop', { workflowId: waits.workflowId });
  await runtime.request('conversation.delete', { conversationId });
  expect(await refused(one.runId)).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('trash') as string,
  });
});

test('a current deny rule rejects the repeat before anything is created', async () => {
  const engine = await start(script(), { rules: '' });
  const one = await first(engine);
  const conversations = async () => (await engine.runtime.request('conversation.list', {})).items.length;
  const count = await conversations();
  writeFileSync(
    join(configFolder, 'config.toml'),
    '[[permissions.rules]]\neffect = "deny"\ntool = "spawn_agent"\npattern = "scout"\nreason = "No scouts"\n',
  );
  await expect(forkOf(engine, one)).rejects.toMatchObject({ code: 'not_allowed' });
  expect(await conversations()).toBe(count);
  expect(engine.model.requests).toHaveLength(one.count);
});

test('rejects the repeat of a project agent if the project is no longer trusted', async () => {
  const agent = '---\nname: digger\ndescription: Digs\n---\nYou dig.\n';
  const digging = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([delegateTo('digger', 'Dig.')])
    .on({})
    .reply([text('Done.')]);
  const engine = await start(digging, { files: { '.triad/agents/digger.md': agent } });
  const { runtime, folder } = engine;
  const { files } = await runtime.request('trust.look', { folder });
  const seen = files.map(({ path, hash }) => ({ path, hash: hash ?? '' }));
  await runtime.request('trust.set', { folder, files: seen });
  const one = await first(engine);
  const fork = await goOn(engine, { workflowId: one.workflowId, runId: one.runId });
  expect(fork.children).toMatchObject([{ kind: 'delegate', outcome: 'completed' }]);
  await runtime.request('trust.revoke', { folder });
  const count = engine.model.requests.length;
  await expect(forkOf(engine, one)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('not trusted') as string,
  });
  expect(engine.model.requests).toHaveLength(count);
});

test('repeats all chain stages after one approval, and repeats a single stage only from its first step', async () => {
  const { questions, person } = asked();
  const engine = await startChain(chainScript(), { person });
  const one = await first(engine, 'Go');
  questions.length = 0;
  const fork = await goOn(engine, { workflowId: one.workflowId, runId: one.runId });
  expect(questions).toHaveLength(1);
  expect(fork.children.map(({ kind, agent, depth }) => [kind, agent, depth])).toEqual([
    ['delegate', 'research', 1],
    ['chain', 'draft', 1],
    ['chain', 'polish', 1],
  ]);
  expect(bodies(ofSubAgents(fork.asks))).toEqual(bodies(ofSubAgents(engine.model.requests.slice(0, one.count))));
  expect(fork.asks).toHaveLength(4);

  const polish = (await told(engine, one.workflowId)).children.at(-1)!;
  await expect(forkOf(engine, { ...one, runId: polish.id })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('go on from its first step') as string,
  });
  const stage = await goOn(engine, { workflowId: one.workflowId, runId: polish.id, entry: 0 });
  expect(bodies(ofSubAgents(stage.asks))).toEqual(bodies(engine.model.requests.slice(one.count - 2, one.count - 1)));
  expect(stage.asks).toHaveLength(2);
});

test('repeats the coagent together with the run it reviews', async () => {
  const answers = pair(['First.', 'Second.'], { First: 'No title.', Second: done('Good.') });
  const engine = await startFlow(answers, { flow: { type: 'judge' }, as: 'sub' });
  const one = await first(engine, 'Go');
  const fork = await goOn(engine, { workflowId: one.workflowId, runId: one.runId });
  expect(fork.children.map(({ kind, agent }) => [kind, agent])).toEqual([
    ['delegate', PAIR],
    ['coagent', 'checker'],
    ['coagent', 'checker'],
  ]);
  expect(fork.children[0]).toMatchObject({ text: 'Second.' });
  const system = (requests: Requests) => requests.map(({ body }) => JSON.stringify(body.system));
  expect(system(fork.asks)).toEqual(system(engine.model.requests.slice(1, one.count)));
  const checker = (await told(engine, one.workflowId)).children.find(({ kind }) => kind === 'coagent')!;
  await expect(forkOf(engine, { ...one, runId: checker.id })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`coagent of ${PAIR}`) as string,
  });
});
