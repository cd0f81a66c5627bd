// What of a question must be seen to its end: of a sub-agent also what those are told that a yes starts with it.
import { describe, expect, it } from 'vitest';
import type { Flow } from '#contract/agent.ts';
import type { ApprovalRequest } from '#contract/approval.ts';
import { servedTexts, onceWords, textsOf } from '#lib/words/question-texts.ts';
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

describe('the texts of a question about a chain', () => {
  it('are those of each stage and of who takes turns with it, each with a name of its own', () => {
    const texts = servedTexts(chain);
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
    const names = textsOf(question!).map(({ name }) => name);
    expect(names).toHaveLength(3 + texts.length);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(texts.map(({ name }) => name)));
  });
});

it('says why a question about the start of sub-agents is answered once only', () => {
  const subject = (operation: 'spawn' | 'delegate' | 'parallel') =>
    ({ kind: 'envelopes', operation, items: [] }) as unknown as ApprovalRequest['subject'];
  expect(onceWords({ subject: subject('spawn') })).toBe(text.decide.once.spawn);
  expect(onceWords({ subject: subject('parallel') })).toBe(text.decide.once.parallel);
  expect(onceWords({ subject: subject('delegate') })).toBeNull();
});
