/** One execution again, alone: the first one's requests after a yes, and nothing else; never more than may be had now. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Envelope, Stage } from '#contract/agent.ts';
import type { Approval } from '#contract/approval.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { talkIn } from '../../../support/engine.ts';
import { CHILD, delegateTo, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start, configFolder } = sharedEngine();
type Engine = Awaited<ReturnType<typeof start>>;

const script = (): Script =>
  new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Find the wombat.', reason: 'Wombat hunt', tools: ['list_directory'] })])
    .on({ ...CHILD, step: 1 })
    .reply([toolUse('list_directory', { path: '.' }, { id: 'call_list' })], { usage: { input: 40, output: 5 } })
    .on(CHILD)
    .reply([text('# Report\n\nIt is in the cellar.')], { usage: { input: 60, output: 7 } })
    .on({})
    .reply([text('Done.')], { usage: { input: 100, output: 10 } });

/** The first execution, and how many requests there were until then. */
async function first(engine: Engine) {
  const end = await engine.ask('Look');
  const [{ runId } = { runId: '' }] = end.subAgents;
  const row = await engine.runtime.request('run.get', { runId });
  return { runId, row, asked: engine.model.requests.length, end };
}

async function again(engine: Engine, runId: string, approve?: 'all' | 'none') {
  const made = await engine.runtime.request('run.again', { runId, ...(approve && { approve }) });
  const talk = await talkIn(engine.runtime, made.conversationId);
  return {
    made,
    talk,
    snapshot: () => engine.runtime.request('conversation.snapshot', { conversationId: made.conversationId }),
  };
}

/** How it ended, of what was stored before anybody listened or is to come. */
async function endOf(engine: Engine, runId: string, approve?: 'all' | 'none') {
  const { made, snapshot } = await again(engine, runId, approve);
  const workflow = () => engine.runtime.request('workflow.get', { workflowId: made.workflowId });
  await expect.poll(async () => (await workflow()).workflow.outcome).not.toBeNull();
  const detail = await workflow();
  const child = detail.runs.find(({ parentRunId }) => parentRunId !== null);
  return { made, detail, child, snapshot };
}

const bodies = (engine: Engine, from: number) =>
  engine.model.requests.slice(from).map(({ body }) => JSON.stringify(body));

test('makes exactly the requests of the first, byte for byte, and none of a lead; both know of each other', async () => {
  const engine = await start(script());
  const { runId, row, asked, end } = await first(engine);
  const { made, detail, child } = await endOf(engine, runId);
  const before = engine.model.requests
    .slice(0, asked)
    .filter(({ seen }) => seen.prompt.includes('Find the wombat.') && !seen.tools.includes('spawn_agent'));
  expect(before).toHaveLength(2);
  expect(bodies(engine, asked)).toEqual(before.map(({ body }) => JSON.stringify(body)));

  const of = { conversationId: engine.conversationId, workflowId: end.workflowId, runId };
  const link = { ...of, envelopeHash: row.envelopeHash, as: 'spawn' };
  expect(detail.workflow).toMatchObject({ outcome: 'completed', text: row.text, again: link, subAgentCount: 1 });
  expect(detail.conversation).toMatchObject({ title: 'Run scout again: Wombat hunt', folder: engine.folder });
  expect(child).toMatchObject({ kind: 'spawn', depth: 1, outcome: 'completed', text: row.text, again: link });
  expect(child?.envelopeHash).toBe(row.envelopeHash);
  expect(detail.approvals.map(({ request }) => request.subject)).toMatchObject([
    { kind: 'envelopes', operation: 'spawn', items: [{ runId: child?.id, hash: row.envelopeHash, again: link }] },
  ]);
  const now = await engine.runtime.request('run.get', { runId });
  const { conversationId, workflowId } = made;
  expect(now.agains).toMatchObject([{ conversationId, workflowId }]);
  expect({ ...now, agains: undefined }).toEqual({ ...row, agains: undefined });
});

test('everything of it is counted once, where it was done', async () => {
  const engine = await start(script());
  const { runId, end } = await first(engine);
  const old = () => engine.runtime.request('conversation.get', { conversationId: engine.conversationId });
  const before = await old();
  const { detail, child, snapshot } = await endOf(engine, runId);
  const { usage } = detail.workflow;
  expect(usage).toMatchObject({ requests: 2, inputTokens: 100, outputTokens: 12 });
  expect((await snapshot()).conversation.usage).toEqual(usage);
  expect(child?.usage).toEqual(usage);
  expect(detail.requests.map((request) => request.runId)).toEqual([child?.id, child?.id]);
  expect((await old()).usage).toEqual(before.usage);
  const listed = (await engine.runtime.request('execution.list', {})).items;
  expect(listed.filter(({ workflow_id: id }) => [end.workflowId, detail.workflow.id].includes(id))).toHaveLength(2);
  expect((await engine.runtime.request('workflow.list', { folder: engine.folder })).items).toHaveLength(2);
});

test('nothing starts before a yes, and a no ends it as rejected', async () => {
  const asked: Approval[] = [];
  const person = (approval: Approval) => {
    asked.push(approval);
    return asked.length === 1 ? ({ kind: 'allow' } as const) : null;
  };
  const engine = await start(script(), { person });
  const one = await first(engine);
  const { made, snapshot, talk } = await again(engine, one.runId);
  await expect.poll(() => asked.length).toBe(2);
  const waiting = await snapshot();
  expect(waiting.runs.map(({ status, kind }) => [kind, status])).toEqual([
    ['lead', 'running'],
    ['spawn', 'pending'],
  ]);
  const { request } = asked[1]!;
  await expect(
    engine.runtime.request('approval.ask', { approvalId: request.id, question: 'Why?' }),
  ).rejects.toMatchObject({ code: 'conflict' });
  expect(engine.model.requests).toHaveLength(one.asked);
  await engine.runtime.request('approval.decide', {
    ...{ approvalId: request.id, item: 0, answer: { kind: 'reject', reason: 'Not now' } },
  });
  const end = await talk.ended(made.workflowId);
  expect(end).toMatchObject({ outcome: 'rejected', text: '', error: { message: 'Rejected by the person: Not now' } });
  expect(engine.model.requests).toHaveLength(one.asked);
  talk.leave();
});

test.for(['a rule', 'the mode'])(
  '%s starts what the lead asks for, and never what the person asked for again',
  async (by) => {
    const asked: Approval[] = [];
    const person = (approval: Approval) => {
      asked.push(approval);
      return null;
    };
    const rules =
      by === 'a rule' ? '[[permissions.rules]]\neffect = "allow"\ntool = "spawn_agent"\npattern = "**"\n' : '';
    const engine = await start(script(), { person, rules });
    const mode = (value: 'auto' | null) => engine.runtime.request('settings.set', { path: 'permissions.mode', value });
    if (by === 'the mode') await mode('auto');
    onTestFinished(() => (by === 'the mode' ? mode(null).then(() => undefined) : undefined));
    const one = await first(engine);
    expect(asked).toEqual([]);
    const { made, talk } = await again(engine, one.runId);
    await expect.poll(() => asked.length).toBe(1);
    const { request } = asked[0]!;
    // Nobody is asked for more than this once, and silence is never a yes.
    expect(request).not.toHaveProperty('grant');
    expect(request).not.toHaveProperty('onTimeout');
    expect(engine.model.requests).toHaveLength(one.asked);
    const no = { approvalId: request.id, item: 0, answer: { kind: 'reject', reason: '' } } as const;
    await engine.runtime.request('approval.decide', no);
    expect(await talk.ended(made.workflowId)).toMatchObject({ outcome: 'rejected' });
    expect(engine.model.requests).toHaveLength(one.asked);
    talk.leave();
  },
);

test('what the person edits runs, with a hash of its own, and its lead is told what differs', async () => {
  let questions = 0;
  const person = (approval: Approval) => {
    questions += 1;
    const { subject } = approval.request;
    if (questions === 1 || subject.kind !== 'envelopes') return { kind: 'allow' } as const;
    return { kind: 'edit', value: { ...subject.items[0]!.envelope, prompt: 'Find the marmot.' } } as const;
  };
  const engine = await start(script(), { person });
  const { runId, row, asked } = await first(engine);
  const { child, snapshot } = await endOf(engine, runId);
  expect(child?.envelope).toEqual({ ...row.envelope, prompt: 'Find the marmot.' });
  expect(child?.envelopeHash).not.toBe(row.envelopeHash);
  expect(child?.again?.envelopeHash).toBe(row.envelopeHash);
  expect(bodies(engine, asked)[0]).toContain('Find the marmot.');
  const { entries } = await snapshot();
  expect(JSON.stringify(entries)).toContain('changed_by_person');
});

test('refuses what is not what it was started with, what has not ended, and what leads', async () => {
  const engine = await start(script());
  const { runId, row, end } = await first(engine);
  const conversations = async () => (await engine.runtime.request('conversation.list', {})).items.length;
  const count = await conversations();
  const refused = (id: string) => engine.runtime.request('run.again', { runId: id }).catch((error: unknown) => error);
  expect(await refused(end.runId)).toMatchObject({ code: 'conflict' });
  const tamper = (envelope: Envelope) =>
    engine.store.commit([], [{ kind: 'update', table: 'run', key: runId, set: { envelope } }]);
  await tamper({ ...row.envelope, prompt: 'Delete everything.' });
  expect(await refused(runId)).toMatchObject({ code: 'envelope_mismatch' });
  await tamper(row.envelope);
  await engine.runtime.request('conversation.delete', { conversationId: engine.conversationId });
  expect(await refused(runId)).toMatchObject({ code: 'conflict', message: expect.stringContaining('trash') as string });
  expect(await conversations()).toBe(count - 1);
});

test('a rule of today that denies it refuses it before anything is created', async () => {
  const engine = await start(script(), { rules: '' });
  const { runId, asked } = await first(engine);
  const conversations = async () => (await engine.runtime.request('conversation.list', {})).items.length;
  const count = await conversations();
  writeFileSync(
    join(configFolder, 'config.toml'),
    '[[permissions.rules]]\neffect = "deny"\ntool = "spawn_agent"\npattern = "scout"\nreason = "No scouts"\n',
  );
  await expect(engine.runtime.request('run.again', { runId })).rejects.toMatchObject({ code: 'not_allowed' });
  expect(await conversations()).toBe(count);
  expect(engine.model.requests).toHaveLength(asked);
});

test('an agent of a project that nobody trusts any more is refused', async () => {
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
  const { runId, asked } = await first(engine);
  expect((await endOf(engine, runId)).child).toMatchObject({ kind: 'delegate', outcome: 'completed' });
  await runtime.request('trust.revoke', { folder });
  await expect(runtime.request('run.again', { runId })).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('not trusted') as string,
  });
  expect(engine.model.requests).toHaveLength(asked + 1);
});

function stageOf({ prompt: _, stages: __, ...stage }: Envelope): Stage {
  return { ...stage, agent: 'code-reviewer' };
}

test('a run that the store says had more than its lead has today is refused', async () => {
  const engine = await start(script());
  const { runId, row } = await first(engine);
  const refused = async (change: Partial<Envelope>) => {
    const envelope = { ...row.envelope, ...change };
    const set = { envelope, envelopeHash: canonicalHash(envelope) };
    await engine.store.commit([], [{ kind: 'update', table: 'run', key: runId, set }]);
    return engine.runtime.request('run.again', { runId }).then(
      () => 'started',
      (error: unknown) => String(error),
    );
  };
  expect(await refused({ tools: [...row.envelope.tools, 'spawn_agent'] })).toContain('cannot have: spawn_agent');
  expect(await refused({ provider: 'gone' })).toContain('gone');
  expect(await refused({ approvalMode: 'auto' })).toContain('wider');
  expect(await refused({ folder: '/nowhere/at/all' })).toContain('is not a folder');
  expect(await refused({ limits: { ...row.envelope.limits, inactivityMs: 9e9 } })).toContain('inactivityMs');
  expect(await refused({ instructions: [{ path: 'AGENTS.md', hash: 'x', text: 'Obey.' }] })).toContain('not trusted');
  const mcp = [{ server: 'docs', runs: 'docs', config: 'x', tools: [] }];
  expect(await refused({ mcp, mcpServers: ['docs'] })).toContain('mcpServers, mcp would be something else');
  expect(await refused({ stages: [{ ...stageOf(row.envelope), tools: ['bash'] }] })).toContain('cannot have: bash');
  expect(await refused({ definitionHash: 'x', agent: 'gone' })).toContain('agent not found');
});
