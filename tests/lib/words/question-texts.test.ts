// What of a question must be seen to its end: of a sub-agent also what those are told that a yes starts with it.
import { describe, expect, it } from 'vitest';
import type { Flow } from '#contract/agent.ts';
import type { ApprovalRequest } from '#contract/approval.ts';
import { labelServedTexts, mustReadBox, onceWords, requiredTexts, summarizeText } from '#lib/words/question-texts.ts';
import { questionsOf } from '#lib/view/phase.ts';
import { text } from '#lib/words/text.ts';
import { envelopeOf } from '../../support/envelope.ts';

const { prompt: _, stages: __, ...part } = envelopeOf('analyst', 'Look.');
const rules = { path: 'AGENTS.md', hash: 'h', text: 'Run the tests.' };
const own = { path: 'docs/AGENTS.md', hash: 'i', text: 'Write short.' };
const reviewer = { ...part, agent: 'reviewer', systemPrompt: 'You review.' };
const flow: Flow = {
  type: 'smart',
  rounds: 3,
  primary: 'writer',
  coagent: reviewer,
  handoff: { type: 'static', text: 'Judge this.' },
};
const chain = envelopeOf('analyst', 'Look.', {
  instructions: [rules],
  stages: [
    { ...part, agent: 'writer', systemPrompt: 'You write.', instructions: [rules, own], flow },
    { ...part, agent: 'editor', systemPrompt: 'You edit.', reflection: { criteria: 'Is it short?', maxRetries: 1 } },
  ],
});

describe('the texts in an approval of a chain', () => {
  it('include those of each stage and coagent, each under a unique name', () => {
    const texts = labelServedTexts(chain);
    expect(texts.map((one) => [one.label.split(':')[0], one.text])).toEqual([
      ['writer', 'You write.'],
      ['writer', 'Write short.'],
      [expect.stringContaining('reviewer'), 'Judge this.'],
      ['reviewer', 'You review.'],
      ['editor', 'You edit.'],
      ['editor', 'Is it short?'],
    ]);
    const request = {
      subject: {
        kind: 'envelopes',
        operation: 'delegate',
        items: [{ runId: 'r', title: 'Look', envelope: chain, hash: 'h' }],
      },
    } as unknown as ApprovalRequest;
    const [question] = questionsOf([{ request, decisions: [null] }]);
    const names = requiredTexts(question!).map(({ name }) => name);
    expect(names).toHaveLength(3 + texts.length);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(texts.map(({ name }) => name)));
  });
});

describe('a text with a reading requirement from the engine', () => {
  const texts = [
    { name: 'prompt', source: 'agent', allowedBefore: true, mustRead: false },
    { name: 'systemPrompt', source: 'builtin', mustRead: false },
    { name: 'instruction AGENTS.md', source: 'trusted', mustRead: false },
    { name: '1 systemPrompt', source: 'person', mustRead: false },
    { name: '1-coagent systemPrompt', source: 'agent', mustRead: true },
  ];
  const item = { runId: 'r', title: 'Look', envelope: chain, hash: 'h', texts };
  const request = {
    subject: { kind: 'envelopes', operation: 'delegate', items: [item] },
  } as unknown as ApprovalRequest;
  const [question] = questionsOf([{ request, decisions: [null] }]);

  it('must be read if the engine requires reading, or states no requirement', () => {
    const names = requiredTexts(question!).map(({ name }) => name);
    expect(names).toEqual([
      '1 instruction docs/AGENTS.md',
      '1-coagent handoff',
      '1-coagent systemPrompt',
      '2 systemPrompt',
      '2 criteria',
    ]);
    for (const { name, mustRead } of texts) expect(mustReadBox(question!, name), name).toBe(mustRead);
    expect(mustReadBox(question!, 'heading')).toBe(true);
  });

  it('is summarized in one line with its source if it need not be read', () => {
    const summaryOf = (name: string) => summarizeText(question!.spawn!, { name, label: 'Label', text: '' });
    expect(summaryOf('prompt')).toBe('Label: you allowed exactly this text before');
    expect(summaryOf('systemPrompt')).toBe('Built-in prompt of temporary agents, unchanged');
    expect(summaryOf('instruction AGENTS.md')).toBe('Label: from a trusted file, unchanged');
    expect(summaryOf('1-coagent systemPrompt')).toBeNull();
    expect(summaryOf('2 criteria')).toBeNull();
  });
});

it('explains why an approval of a temporary sub-agent or a batch applies only once', () => {
  const subject = (operation: 'spawn' | 'delegate' | 'parallel') =>
    ({ kind: 'envelopes', operation, items: [] }) as unknown as ApprovalRequest['subject'];
  expect(onceWords({ subject: subject('spawn') })).toBe(text.decide.once.spawn);
  expect(onceWords({ subject: subject('parallel') })).toBe(text.decide.once.parallel);
  expect(onceWords({ subject: subject('delegate') })).toBeNull();
});
