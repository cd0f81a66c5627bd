/** An agent's questions to the person: choices, words, skipped ones; nobody but a person answers them. */
import { expect, test } from 'vitest';
import type { Answer, Approval } from '#contract/approval.ts';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const questions = [
  {
    question: 'Which parser stays?',
    kind: 'single',
    choices: [{ label: 'The old one', description: 'slow, well known' }, { label: 'The new one' }],
  },
  {
    question: 'Which formats?',
    kind: 'multiple',
    choices: [{ label: 'YAML' }, { label: 'TOML' }, { label: 'JSON' }],
  },
  { question: 'What is it called?', kind: 'text' },
];

function asking(input: unknown = { questions }): Script {
  return new Script().step([toolUse('ask_question', input)]).step([text('Done.')]);
}

const reply = (...replies: Extract<Answer, { kind: 'reply' }>['replies']): Answer => ({
  kind: 'reply',
  replies,
});

/** What the lead read as the result of its call. */
async function toldAfter(person: (approval: Approval) => Answer | null, rules = '', settings = ''): Promise<string> {
  const engine =
    settings === ''
      ? await start(asking(), { person, rules })
      : await startEngine(asking(), { person, settings, configFolder: await folderWith({ 'config.toml': rules }) });
  const end = await engine.ask('Ask me');
  expect(end.outcome).toBe('completed');
  return engine.model.requests[1]?.seen.results[0]?.text ?? '';
}

test('each reply reaches the agent with its question, and is stored in the decision', async () => {
  const answer = reply(
    { chosen: ['The new one'], words: '' },
    { chosen: ['YAML', 'JSON'], words: 'and CSV' },
    { chosen: [], words: ' Reader ' },
  );
  const engine = await start(asking(), { person: () => answer });
  await engine.ask('Ask me');
  expect(engine.model.requests[1]?.seen.results[0]?.text).toBe(
    'Which parser stays?\n→ The new one\n\nWhich formats?\n→ YAML; JSON; and CSV\n\nWhat is it called?\n→ Reader',
  );
  const [decided] = engine.of('approval-decide');
  expect(decided?.decision).toMatchObject({
    allowed: true,
    decidedBy: 'person',
    replies: [{ chosen: ['The new one'] }, { chosen: ['YAML', 'JSON'], words: 'and CSV' }, { words: 'Reader' }],
  });
});

test('a skipped question is reported to the agent, which then decides', async () => {
  const told = await toldAfter(() => reply({ chosen: ['The old one'], words: '' }, null, { chosen: [], words: ' ' }));
  expect(told.match(/skipped: decide yourself/g)).toHaveLength(2);
  expect(told).toContain('→ The old one');
});

test('a reply that does not fit is refused, and the question stays open', async () => {
  const engine = await start(asking(), { person: () => null });
  const { workflowId } = await engine.send('Ask me');
  const asked = await engine.event('approval-request');
  const decide = (answer: Answer) =>
    engine.runtime.request('approval.decide', { approvalId: asked.approval.id, answer });
  const fits = { chosen: [], words: 'x' };
  await expect(decide(reply(fits))).rejects.toThrow('There are 3 questions');
  await expect(decide(reply({ chosen: ['A third'], words: '' }, null, null))).rejects.toThrow('no choice of');
  await expect(decide(reply({ chosen: ['The old one', 'The new one'], words: '' }, null, null))).rejects.toThrow(
    'takes one answer',
  );
  await expect(decide(reply({ chosen: ['The old one'], words: 'or' }, null, null))).rejects.toThrow('one answer');
  await expect(decide({ kind: 'edit', value: { questions: [] } })).rejects.toThrow('answered with replies');
  expect(engine.of('approval-decide')).toHaveLength(0);
  await decide(reply(null, null, null));
  expect((await engine.ended(workflowId)).outcome).toBe('completed');
});

test('rejects a reply to an approval that can only be allowed or rejected', async () => {
  const script = new Script()
    .step([toolUse('request_approval', { action: 'Go', reason: 'Because' })])
    .step([text('Done.')]);
  const engine = await start(script, { person: () => null });
  await engine.send('Go');
  const asked = await engine.event('approval-request');
  await expect(
    engine.runtime.request('approval.decide', { approvalId: asked.approval.id, answer: reply(null) }),
  ).rejects.toThrow('yes or no');
});

test('no mode and no rule answers a question in place of the person', async () => {
  const rules = '[[permissions.rules]]\neffect = "allow"\ntool = "*"\n';
  let asked = 0;
  const person = () => {
    asked += 1;
    return reply(null, null, null);
  };
  await toldAfter(person, rules, '[permissions]\nmode = "auto"\n');
  expect(asked).toBe(1);
});

test('a rule that denies the tool rejects its questions without showing them', async () => {
  const settings = '[[permissions.rules]]\neffect = "deny"\ntool = "ask_question"\n';
  const told = await toldAfter(() => {
    throw new Error('nobody may be asked');
  }, settings);
  expect(told).toContain('denies');
});

test.each(['all', 'none'] as const)(
  'the policy --approve %s answers the question without the person, and the agent is informed',
  async (approve) => {
    const engine = await start(asking(), { person: () => null });
    const { workflowId } = await engine.send('Ask me', approve);
    expect((await engine.ended(workflowId)).outcome).toBe('completed');
    expect(engine.model.requests[1]?.seen.results[0]?.text).toMatch(/Nobody was asked|answered no/);
  },
);

test('rejects a question with too few choices, and does not show it to the person', async () => {
  const bad = { questions: [{ question: 'Which?', kind: 'single', choices: [{ label: 'One' }] }] };
  const engine = await start(asking(bad));
  await engine.ask('Ask me');
  expect(engine.model.requests[1]?.seen.results[0]).toMatchObject({ isError: true });
  expect(engine.model.requests[1]?.seen.results[0]?.text).toContain('at least two');
  expect(engine.of('approval-request')).toHaveLength(0);
});
