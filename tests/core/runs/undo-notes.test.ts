/** What an agent is told of what the person undid: its own, what is new, and only once. */
import { expect, test } from 'vitest';
import type { Undo } from '#contract/change.ts';
import type { Entry } from '#contract/message.ts';
import { describeUndos } from '#core/runs/undo-notes.ts';

const at = '2026-01-01T00:00:00.000Z';
const undo = (id: string, runId: string, more: Partial<Undo> = {}): Undo => ({
  id,
  conversationId: 'c',
  folder: '/w',
  at,
  folders: {},
  takesBack: [],
  redone: false,
  calls: [{ runId, toolCallId: 't', agent: 'writer', path: null, hunk: null, paths: [] }],
  files: [{ path: 'a.txt', before: null, after: null }],
  ...more,
});
const told = (...undos: string[]): Entry => ({ n: 0, at, kind: 'user', source: 'engine', text: '', undos });
const ids = (...args: Parameters<typeof describeUndos>) => describeUndos(...args)?.undos ?? null;

test('reports undone changes of its own calls to a run, and all undone changes to a lead', () => {
  const undos = [undo('1', 'mine'), undo('2', 'other')];
  expect(ids(undos, [], 'mine')).toEqual(['1']);
  expect(ids(undos, [], null)).toEqual(['1', '2']);
  expect(describeUndos(undos, [], 'mine')?.text).toContain('- undid what you did: a.txt');
  expect(describeUndos(undos, [], null)?.text).toContain('- undid what writer did: a.txt');
});

test('reports each undo once, and no undo that was reverted before its report', () => {
  const gone = undo('1', 'r', { redone: true });
  const back = undo('2', 'r', { redone: true, takesBack: ['1'] });
  expect(ids([gone, back], [], null)).toBeNull();
  expect(ids([gone, back], [told('1')], null)).toEqual(['2']);
  expect(ids([gone, back], [told('1'), told('2')], null)).toBeNull();
});

test('describes a partial undo as a part, and names only the first 20 of many files', () => {
  const calls = [{ runId: 'r', toolCallId: 't', agent: 'writer', path: 'a.txt', hunk: 0, paths: [] }];
  const files = Array.from({ length: 30 }, (_, n) => ({ path: `${n}.txt`, before: null, after: null }));
  const { text = '' } = describeUndos([undo('1', 'r', { calls, files })], [], 'r') ?? {};
  expect(text).toMatch(/- undid a part of what you did: 0\.txt, .*19\.txt and 10 more$/m);
});
