// The level of a risk, and the few words that some questions add to it.
import { describe, expect, it } from 'vitest';
import type { Subject } from '#contract/approval.ts';
import { riskOf } from '#lib/words/risk-words.ts';
import { envelopeOf } from '../../support/envelope.ts';

type Operation = Extract<Subject, { kind: 'envelopes' }>['operation'];

function agents(operation: Operation, permissions: ('FilesystemRead' | 'FilesystemWrite')[]): Subject {
  const item = { runId: 'run', title: '', envelope: { ...envelopeOf('a', 'Look.'), permissions }, hash: 'h' };
  return { kind: 'envelopes', operation, items: [item, item] };
}

const tool = { kind: 'tool', tool: 'run', input: {}, folder: '/tmp', preview: null, hash: 'h' } as const;
const write = { ...tool, preview: { path: 'a.txt', diff: '', added: 1, removed: 0, created: true } } as const;
const action = { kind: 'action', action: 'Send', reason: '', impact: null, folder: '/', input: {}, hash: 'h' } as const;
const questions: Subject = { kind: 'questions', questions: [], folder: '/', hash: 'h' };

describe('riskOf', () => {
  it.each([
    [{ risk: 'high', reversible: true, subject: agents('parallel', ['FilesystemRead']) }, null, ''],
    [{ risk: 'medium', reversible: true, subject: agents('spawn', ['FilesystemRead']) }, null, ''],
    [
      { risk: 'medium', reversible: true, subject: agents('delegate', ['FilesystemWrite']) },
      'reaching',
      'can change things',
    ],
    [{ risk: 'medium', reversible: true, subject: write }, null, 'can be undone'],
    [{ risk: 'low', reversible: true, subject: tool }, null, ''],
    [{ risk: 'high', reversible: true, subject: write }, 'grave', ''],
    [{ risk: 'medium', reversible: false, subject: tool }, 'grave', 'cannot be undone'],
    [{ risk: 'medium', reversible: true, subject: action }, null, 'its agent says that it can be undone'],
    [{ risk: 'medium', reversible: false, subject: action }, 'grave', 'its agent says that it cannot be undone'],
    [{ risk: 'low', reversible: true, subject: questions }, null, ''],
  ] as const)('%#: returns the weight and the text of a risk', (request, weight, words) => {
    expect(riskOf(request, 0)).toEqual({ weight, words });
  });
});
