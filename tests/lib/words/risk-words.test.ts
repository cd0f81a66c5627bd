// A question says in a few words what makes it risky, not only that it is.
import { describe, expect, it } from 'vitest';
import type { Subject } from '#contract/approval.ts';
import { riskOf } from '#lib/words/risk-words.ts';
import { envelope } from '../support/story.ts';

type Operation = Extract<Subject, { kind: 'envelopes' }>['operation'];

function agents(operation: Operation, count = 1, definitionHash: string | null = null): Subject {
  const item = {
    runId: 'run',
    title: '',
    envelope: { ...envelope('a', 'Look.'), definitionHash },
    hash: 'h',
  };
  return { kind: 'envelopes', operation, items: Array.from({ length: count }, () => item) };
}

function write(created: boolean, more: { deleted?: true } = {}): Subject {
  const preview = { path: 'a.txt', diff: '', added: 1, removed: 0, created, ...more };
  return { ...tool, preview };
}

const tool = { kind: 'tool', tool: 'run', input: {}, folder: '/tmp', preview: null, hash: 'h' } as const;

describe('riskOf', () => {
  it.each([
    [{ risk: 'high', subject: agents('parallel', 3, 'hash') }, 'high risk: several agents at once'],
    [{ risk: 'high', subject: agents('parallel', 1, 'hash') }, 'high risk: a batch of one agent'],
    [{ risk: 'medium', subject: agents('spawn') }, 'medium risk: starts a temporary agent'],
    [{ risk: 'medium', subject: agents('spawn', 1, 'hash') }, 'medium risk: starts a defined agent'],
    [{ risk: 'medium', subject: agents('delegate', 1, 'hash') }, 'medium risk: starts a defined agent'],
    [{ risk: 'medium', subject: write(true) }, 'medium risk: creates a file'],
    [{ risk: 'medium', subject: write(false) }, 'medium risk: changes a file'],
    [{ risk: 'medium', subject: write(false, { deleted: true }) }, 'medium risk: deletes a file'],
    // A rule or a grant that names it would allow it: the description says what it is.
    [{ risk: 'high', subject: write(false) }, 'high risk'],
    [{ risk: 'high', subject: tool }, 'high risk'],
    [{ risk: 'low', subject: tool }, 'low risk'],
  ] as const)('%#: says why', (request, words) => {
    expect(riskOf(request)).toBe(words);
  });
});
