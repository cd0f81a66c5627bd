// What a yes lets an agent do is derived from what it would run with, and said alike in the app and at a terminal.
import { describe, expect, it, test } from 'vitest';
import type { Asking, CallGroup, SpawnItem } from '#contract/approval.ts';
import { type Leave, summariesOf, summaryOf, weightOf } from '#contract/approvals/summary.ts';
import { atMostText, mayText } from '#hosts/cli/render/summary-lines.ts';
import { text } from '#lib/words/text.ts';
import { envelopeOf } from '../../support/envelope.ts';

const group = (tools: string[], permissions: CallGroup['permissions'], all: Asking, always?: true): CallGroup => ({
  tools,
  permissions,
  asking: { manual: all, selective: all, auto: all },
  ...(always ? { always } : {}),
});
const CALLS = [
  group(['read_file'], ['FilesystemRead'], 'none', true),
  group(['write_file'], ['FilesystemWrite'], 'all'),
  group(['bash'], ['Execute', 'FilesystemWrite'], 'some'),
  group(['web_fetch'], ['NetworkAccess'], 'refused'),
];
const own = (calls: CallGroup[] | undefined) => ({
  writers: [],
  byMode: { manual: '', selective: '', auto: '' },
  without: '',
  ...(calls ? { calls } : {}),
});
const agent = (tools: string[], more = {}) => envelopeOf('a', 'Look.', { tools, folder: '/w', ...more });
const leaves = (tools: string[], calls: CallGroup[] | null = CALLS, more = {}) =>
  Object.fromEntries(
    summaryOf(agent(tools, more), own(calls ?? undefined)).may.map(({ permission, leave }) => [permission, leave]),
  );

describe('the permissions in an approval summary', () => {
  const none = { FilesystemRead: 'none', FilesystemWrite: 'no', Execute: 'no', NetworkAccess: 'no' } as const;

  it.each<[string[], Partial<Record<string, Leave>>]>([
    [[], {}],
    [['write_file'], { FilesystemWrite: 'all' }],
    [['bash'], { FilesystemWrite: 'some', Execute: 'some' }],
    [['bash', 'write_file'], { FilesystemWrite: 'some', Execute: 'some' }],
    [['web_fetch'], { NetworkAccess: 'refused' }],
  ])('follow from the tools of the agent: %j', (tools, more) => {
    expect(leaves(tools)).toEqual({ ...none, ...more });
  });

  it('follow from the edited approval mode', () => {
    const calls = [
      {
        ...group(['write_file'], ['FilesystemWrite'], 'all'),
        asking: { manual: 'all', selective: 'some', auto: 'none' } as const,
      },
    ];
    expect(
      ['manual', 'selective', 'auto'].map(
        (approvalMode) => leaves(['write_file'], calls, { approvalMode })['FilesystemWrite'],
      ),
    ).toEqual(['all', 'some', 'none']);
  });

  it('fall back to the permissions of the envelope for old approvals and for undescribed tools', () => {
    const held = { permissions: ['FilesystemRead', 'Execute'] };
    expect(leaves(['bash'], null, held)).toEqual({ ...none, FilesystemRead: 'held', Execute: 'held' });
    expect(leaves(['other'], CALLS, held)).toEqual({ ...none, Execute: 'held' });
  });

  it('name databases only if a tool reaches a database', () => {
    const calls = [...CALLS, group(['mcp__db__query'], ['DatabaseRead'], 'none')];
    expect(leaves(['mcp__db__query'], calls)).toEqual({ ...none, DatabaseRead: 'none' });
  });
});

const item = (tools: string[]): SpawnItem => ({
  runId: 'r',
  title: '',
  hash: 'h',
  envelope: agent(tools),
  ownActions: own(CALLS),
});

it('an agent counts as reaching if it or one of its stages has a tool that changes something and is not denied', () => {
  const weight = (one: SpawnItem) =>
    weightOf({ subject: { kind: 'envelopes', operation: 'spawn', items: [one] }, risk: 'high', reversible: true }, 0);
  expect(weight(item([]))).toBeNull();
  expect(weight(item(['web_fetch']))).toBeNull();
  expect(weight(item(['write_file']))).toBe('reaching');
  const { prompt: _, stages: __, ...stage } = agent(['write_file']);
  const served = { ...item([]), envelope: { ...agent([]), stages: [{ ...stage, agent: 'writer' }] } };
  expect(weight({ ...served, served: [{ agent: 'writer', ownActions: own(CALLS) }] })).toBe('reaching');
  expect(summariesOf(served, served.envelope).map((one) => one.agent)).toEqual(['a', 'writer']);
});

test('the app and the terminal show the same summary', () => {
  for (const tools of [[], ['write_file'], ['bash', 'web_fetch']])
    for (const budget of [undefined, { tokens: 50_000, costUsd: 0.4, minutes: 10 }]) {
      const limits = { ...agent(tools).limits, ...(budget ? { budget } : {}) };
      const summary = summaryOf(agent(tools, { limits }), own(CALLS));
      const said = (lines: readonly { value: string }[]) => lines.map(({ value }) => value).join(' · ');
      expect(mayText(summary)).toBe(said(text.decide.mayLines(summary)));
      expect(atMostText(summary)).toBe(said(text.decide.atMostLines(summary)));
    }
});

it('an approval summary names only limits that are set', () => {
  const lines = text.decide.atMostLines(summaryOf(agent([]), own(CALLS)));
  expect(lines.map(({ key }) => key)).toEqual(['turns', 'tokens']);
});
