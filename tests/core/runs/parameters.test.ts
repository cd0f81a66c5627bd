/** The model, effort and output tokens of a run, from wherever they are set, are those of its request on the wire. */
import { expect, onTestFinished, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import type { Effort } from '#contract/agent.ts';
import { MAX_DEFAULT_OUTPUT } from '#contract/limits.ts';
import type { Person } from '../../support/compose.ts';
import { startEngine } from '../../support/engine.ts';
import { delegateTo, LEAD, spawn, type SpawnInput } from '../../support/fake-model/scenarios.ts';
import { checkerFile, reflecting, verdict } from '../../support/fake-model/reflecting.ts';
import { type Block, Script, text } from '../../support/fake-model/script.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';
import { reviewers, startReflecting } from '../../support/reflecting.ts';

interface Asked {
  /** Lines of the front matter of the lead, and of the sub-agent that is defined. */
  lead?: string;
  worker?: string;
  calls: Block[];
  person?: Person;
}

/** What the lead and its sub-agent were asked with. */
async function wire({ lead = '', worker = '', calls, person }: Asked) {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply(calls)
    .on({})
    .reply([text('Done.')]);
  const files = Object.entries({ lead: `role: primary\n${lead}`, worker }).map(([name, lines]) => {
    const content = `---\nname: ${name}\ndescription: It works.\n${lines}\n---\nWork.\n`;
    return [`.triad/agents/${name}.md`, content] as const;
  });
  const engine = await startEngine(script, { files: Object.fromEntries(files), ...(person ? { person } : {}) });
  for (const [path, content] of files) await engine.trust.add(engine.folder, path, content);
  expect(await engine.ask('Go')).toMatchObject({
    outcome: 'completed',
    subAgents: calls.map(() => ({ outcome: 'completed' })),
  });
  const sent = (prompt: string) => {
    const {
      model,
      max_tokens: tokens,
      output_config: output,
    } = engine.model.requests.find(({ seen }) => seen.prompt === prompt)!.body;
    return { model, max_tokens: tokens, effort: output?.effort };
  };
  return { lead: sent('Go'), child: sent('Do it.'), sent };
}

const spawned = (input: Partial<SpawnInput> & { effort?: Effort }) =>
  spawn({ name: 'one', prompt: 'Do it.', ...input });
const [SONNET, HAIKU, OPUS] = ['claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-opus-5-5'];

test('without parameters, a request has the default model, no effort and the default output tokens', async () => {
  const usual = { model: SONNET, max_tokens: MAX_DEFAULT_OUTPUT, effort: undefined };
  expect(await wire({ calls: [spawned({})] })).toMatchObject({ lead: usual, child: usual });
});

test('the definitions of the lead and of a sub-agent set their own parameters', async () => {
  const both = { lead: 'model: opus\neffort: max\nmax_tokens: 4000', calls: [delegateTo('worker', 'Do it.')] };
  const lead = { model: OPUS, max_tokens: 4000, effort: 'max' };
  const child = { model: HAIKU, max_tokens: 321, effort: 'low' };
  expect(await wire({ ...both, worker: 'model: haiku\neffort: low\nmax_tokens: 321' })).toMatchObject({ lead, child });
});

test('a spawn overrides the parameters of its base definition and inherits the rest', async () => {
  const worker = 'model: haiku\neffort: low\nmax_tokens: 321';
  const named = { name: 'two', prompt: 'Do it too.', model: 'opus', effort: 'xhigh' } as const;
  const { child, sent } = await wire({
    worker,
    calls: [spawned({ agent: 'worker' }), spawned({ agent: 'worker', ...named })],
  });
  expect(child).toEqual({ model: HAIKU, max_tokens: 321, effort: 'low' });
  expect(sent('Do it too.')).toEqual({ model: OPUS, max_tokens: 321, effort: 'xhigh' });
});

test('an edit by the person overrides the parameters of a spawn', async () => {
  const person: Person = ({ request: { subject } }, item) => {
    if (subject.kind !== 'envelopes') return { kind: 'allow' };
    const { envelope } = subject.items[item]!;
    return { kind: 'edit', value: { ...envelope, model: 'haiku', effort: 'medium', maxTokens: 77 } };
  };
  const { child } = await wire({ calls: [spawned({ model: 'opus', effort: 'max' })], person });
  expect(child).toEqual({ model: HAIKU, max_tokens: 77, effort: 'medium' });
});

test('a review request has the model, effort and output tokens of the reviewed run', async () => {
  const agent = checkerFile({}, 'model: haiku\neffort: low\nmax_tokens: 123\n');
  const engine = await startReflecting({ answers: ['Fine.'], reviews: { Fine: verdict(true, 9) } }, { agent });
  await engine.ask('Go');
  expect(reviewers(engine).map(({ body }) => body)).toMatchObject([
    { model: HAIKU, max_tokens: 123, output_config: { effort: 'low' } },
  ]);
});

const WARM =
  '---\nname: checker\ndescription: It works.\ntemperature: 0.3\nenable_reflection: true\n---\nYou are the checker.\n';
const reviewed = () => reflecting({ answers: ['Fine.'], reviews: { Fine: verdict(true, 9) } });

test('sends a temperature to a local model server, also in reviews, and shows it in the approval', async () => {
  const local = await startFakeModel(reviewed());
  onTestFinished(() => local.close());
  const refused: unknown[] = [];
  const engine = await startReflecting(new Script(), {
    agent: WARM,
    settings: `providers.anthropic.base_url = "${local.url}"\n`,
    environment: { apiKey: undefined, baseUrl: undefined },
    person: () => null,
  });
  const { workflowId } = await engine.send('Go');
  const { approval } = await engine.event('approval-request');
  if (approval.subject.kind !== 'envelopes') throw new Error('nothing is asked about');
  const { envelope } = approval.subject.items[0]!;
  expect(envelope.temperature).toBe(0.3);
  const decide = (answer: Answer) => engine.runtime.request('approval.decide', { approvalId: approval.id, answer });
  await decide({ kind: 'edit', value: { ...envelope, temperature: 1 } }).catch((error: unknown) => refused.push(error));
  expect(refused).toMatchObject([{ code: 'bad_input', message: 'temperature cannot be changed here' }]);
  await decide({ kind: 'allow' });
  await engine.ended(workflowId);
  const sent = local.requests.map(({ seen, body }) => [seen.system.slice(0, 7), body.temperature]);
  expect(sent).toEqual([
    ['You are', undefined],
    ['You are', 0.3],
    ['You rev', 0.3],
    ['You are', undefined],
  ]);
});

test('sends no temperature to a remote provider, and the check of the agent file warns about it', async () => {
  const engine = await startReflecting(reviewed(), { agent: WARM });
  await engine.ask('Go');
  expect(engine.model.requests).toHaveLength(4);
  expect(engine.model.requests.map(({ body }) => body.temperature)).toEqual(Array(4).fill(undefined));
  const reports = await engine.runtime.request('agents.check', {});
  expect(reports.find(({ name }) => name === 'checker')).toMatchObject({
    ok: true,
    warnings: [
      { line: 4, column: 14, key: 'temperature', message: expect.stringContaining('changes nothing') as string },
    ],
  });
});
