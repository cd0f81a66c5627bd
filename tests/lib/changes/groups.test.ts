// What agents changed is told by agent and by file, each change once, with what several changes come to.
import { describe, expect, it } from 'vitest';
import type { ChangeRow, ChangeState, FileState } from '#contract/change.ts';
import { byAgent, byFile, byRun, changedSince, committable, kindOf, stateOf } from '#lib/changes/groups.ts';
import { changeRow, fileState } from '../support/change-rows.ts';

describe('byAgent and byFile', () => {
  const rows: ChangeRow[] = [
    changeRow('lead', 'one', [['b.txt', null, fileState('b')]]),
    changeRow('writer', 'two', [
      ['b.txt', fileState('b'), fileState('c')],
      ['a.txt', fileState('a'), null],
    ]),
    changeRow('lead', 'three', [['b.txt', fileState('c'), fileState('d')]]),
  ];

  it('groups changes by run, with files sorted by path and changes by time', () => {
    const told = byAgent(rows).map(({ agent, files }) => [
      agent,
      files.map(({ path, parts }) => [path, parts.map(({ toolCallId }) => toolCallId)]),
    ]);
    expect(told).toEqual([
      ['lead', [['b.txt', ['one', 'three']]]],
      [
        'writer',
        [
          ['a.txt', ['two']],
          ['b.txt', ['two']],
        ],
      ],
    ]);
  });

  it('groups changes by file, across all runs', () => {
    const files = byFile(rows);
    expect(files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    expect(byRun(files[1]!).map((parts) => parts.map(({ agent, toolCallId }) => [agent, toolCallId]))).toEqual([
      [
        ['lead', 'one'],
        ['lead', 'three'],
      ],
      [['writer', 'two']],
    ]);
  });

  it('keeps files of one name in two folders apart', () => {
    const elsewhere = { ...rows[0]!, folder: '/elsewhere' };
    expect(byFile([rows[0]!, elsewhere])).toHaveLength(2);
  });

  it('detects a move within one call, and none from equal contents in two calls', () => {
    const made = changeRow('lead', 'made', [['c.txt', null, fileState('a')]]);
    const moved = changeRow('lead', 'moved', [
      ['a.txt', fileState('a'), null],
      ['b.txt', null, fileState('a')],
    ]);
    const told = byFile([made, moved]).flatMap(({ parts }) => parts.map((part) => [part.path, part.moved]));
    expect(told).toEqual([
      ['a.txt', { to: 'b.txt' }],
      ['b.txt', { from: 'a.txt' }],
      ['c.txt', null],
    ]);
  });

  it('lists each path that cannot be restored once', () => {
    const row = { ...rows[0]!, notKept: ['node_modules'] };
    expect(byAgent([row, row])[0]?.notKept).toEqual(['node_modules']);
  });
});

describe('several changes of a file', () => {
  const state = fileState('a');
  it.each([
    [[[null, state]], 'made'],
    [[[state, null]], 'removed'],
    [[[state, fileState('b')]], 'changed'],
    [
      [
        [null, state],
        [state, null],
      ],
      'passing',
    ],
    [
      [
        [null, state],
        [state, fileState('b')],
      ],
      'made',
    ],
  ] as [[FileState | null, FileState | null][], string][])('%j are %s', (pairs, kind) => {
    expect(kindOf(pairs.map(([before, after]) => ({ before, after })))).toBe(kind);
  });

  it.each([
    [['done'], 'done'],
    [['changed', 'done'], 'done'],
    [['undone', 'undone'], 'undone'],
    // It is as it was before the first: the second is not what is there, and cannot be undone any more.
    [['undone', 'changed'], 'undone'],
    [['done', 'undone'], 'changed'],
    [['changed'], 'changed'],
    [['done', 'gone'], 'gone'],
  ] as [ChangeState[], ChangeState][])('%j are %s', (states, whole) => {
    expect(stateOf(states.map((one) => ({ state: one })))).toBe(whole);
  });
});

it('committable lists existing changes in the folder, and selects those that are as agents left them', () => {
  const rows = [
    changeRow('lead', 'one', [['done.txt', null, fileState('a')]]),
    changeRow('lead', 'two', [['removed.txt', fileState('a'), null]]),
    changeRow('lead', 'three', [['changed.txt', fileState('a'), fileState('b')]], 'changed'),
    changeRow('lead', 'four', [['undone.txt', null, fileState('a')]], 'undone'),
    changeRow('lead', 'five', [['passing.txt', null, fileState('a')]], 'changed'),
    changeRow('lead', 'six', [['passing.txt', fileState('a'), null]]),
    changeRow('lead', 'eight', [['shared.txt', fileState('a'), fileState('b')]], 'undone'),
    changeRow('writer', 'nine', [['shared.txt', fileState('b'), fileState('c')]], 'changed'),
    { ...changeRow('lead', 'seven', [['far.txt', null, fileState('a')]]), folder: '/elsewhere' },
  ];
  expect(committable(rows, '/project')).toEqual([
    { path: 'changed.txt', kind: 'changed', asLeft: false, chosen: false },
    { path: 'done.txt', kind: 'made', asLeft: true, chosen: true },
    { path: 'removed.txt', kind: 'removed', asLeft: true, chosen: true },
    // What another did to it is still there.
    { path: 'shared.txt', kind: 'changed', asLeft: false, chosen: false },
  ]);
});

it('committable selects both ends of a moved file, or neither', () => {
  const moved = changeRow('lead', 'one', [
    ['from.txt', fileState('a'), null],
    ['to.txt', null, fileState('a')],
  ]);
  const chosen = (...rows: ChangeRow[]) => committable(rows, '/project').map((one) => [one.path, one.chosen]);
  expect(chosen(moved)).toEqual([
    ['from.txt', true],
    ['to.txt', true],
  ]);
  const [from, to] = moved.files;
  expect(chosen({ ...moved, files: [from!, { ...to!, state: 'changed' }] })).toEqual([
    ['from.txt', false],
    ['to.txt', false],
  ]);
  const again = changeRow('lead', 'two', [['to.txt', fileState('a'), null]]);
  expect(chosen(moved, again), 'what is gone at its new place is no end').toEqual([['from.txt', true]]);
});

describe('changedSince', () => {
  it('returns the agents that changed a file after the target, and none if no other agent did', () => {
    const rows = [
      changeRow('early', 'zero', [['b.txt', null, fileState('a')]]),
      changeRow('lead', 'one', [['b.txt', fileState('a'), fileState('b')]]),
      changeRow('writer', 'two', [['b.txt', fileState('b'), fileState('c')]]),
      changeRow('lead', 'three', [['c.txt', null, fileState('d')]]),
    ];
    const runId = rows[1]?.runId ?? '';
    const since = (path: string) =>
      changedSince(rows, { runId }, path).map(({ agent, toolCallId }) => [agent, toolCallId]);
    expect(since('b.txt')).toEqual([['writer', 'two']]);
    expect(since('c.txt')).toEqual([]);
    expect(changedSince(rows, { runId: rows[0]?.runId ?? '' }, 'b.txt')).toHaveLength(2);
  });
});
