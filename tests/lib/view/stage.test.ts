/** The stage: what stands on it together, what each agent does now, and which bound is the tightest. */
import { describe, expect, test } from 'vitest';
import { unreadWords } from '#contract/messages/unread-words.ts';
import type { RunRow } from '#contract/view.ts';
import type { Phase } from '#lib/view/phase.ts';
import type { Block, Call } from '#lib/view/transcript.ts';
import {
  budgetOf,
  findFrontLane,
  namesWorker,
  type Now,
  nowOf,
  piecesOf,
  tightest,
  type Working,
} from '#lib/view/stage.ts';
import { text } from '#lib/words/text.ts';
import { team, reduceStory } from '../support/flows.ts';
import { idOf, requestUsage, startOf } from '../../support/recording.ts';

const run = (agent: string) => ({ id: agent, agent }) as RunRow;
const words = (key: string): Block => ({ kind: 'text', key, text: 'Words.', open: false, by: null });
const call = (key: string, agents: readonly string[], more: Partial<Call> = {}): Block => {
  const none = { id: key, input: {}, draft: null, startedAt: null, result: null, change: null, allowedBy: null };
  return {
    kind: 'call',
    key,
    call: { ...none, name: 'spawn_agent', state: 'running', children: agents.map(run), ...more },
  };
};
const told = (blocks: Block[]) =>
  piecesOf(blocks).map((piece) =>
    piece.kind === 'block' ? piece.key : [piece.at, piece.length, piece.runs.map(({ agent }) => agent), piece.coming],
  );

describe('the sub-agents on the stage', () => {
  test('are the runs of adjacent calls; text between calls starts a new stage', () => {
    const blocks = [words('a'), call('b', ['one']), call('c', ['two', 'three']), words('d'), call('e', ['four'])];
    expect(told(blocks)).toEqual(['a', [1, 2, ['one', 'two', 'three'], 0], 'd', [4, 1, ['four'], 0]]);
  });

  test('include a slot for a call that is still written, but only beside another run', () => {
    const coming = call('b', [], { state: 'writing' });
    expect(told([call('a', ['one']), coming])).toEqual([[0, 2, ['one'], 1]]);
    expect(told([coming])).toEqual(['b']);
    expect(told([call('a', ['one']), call('b', [], { name: 'read_file' })])).toEqual([[0, 1, ['one'], 0], 'b']);
    expect(told([call('a', ['one']), call('b', [], { state: 'error' })]), 'it was refused').toEqual([
      [0, 1, ['one'], 0],
      'b',
    ]);
  });
});

describe('the current activity of an agent', () => {
  function nowIn(change: Partial<Working> = {}): Now {
    const { story, first } = team('coder', {});
    first.answer('I look.', { id: 'c1', name: 'read_file', input: { path: 'src/a.ts' } });
    const view = reduceStory(story);
    const row = view.runs.find(({ id: runId }) => runId === first.runId)!;
    const entries = view.entries.get(row.id) ?? [];
    const idle = {
      open: null,
      forOthers: false,
      reviewing: false,
      compacting: false,
      retrying: false,
      atATime: undefined,
    };
    return nowOf({ run: row, phase: 'running', entries, ...idle, ...change });
  }
  const open = (kind: 'text' | 'thinking', words: string): Working['open'] => ({
    messageId: idOf(90),
    conversationId: idOf(1),
    workflowId: idOf(2),
    runId: idOf(3),
    at: '2026-01-02T03:04:05.000Z',
    parts: [{ kind, text: words, toolCallId: null, name: null }],
  });
  const says = (now: Now) => text.stage.now('coder', now);

  test.each([
    ['its last call, in the words of the person', {}, 'reading src/a.ts'],
    ['its words', { open: open('text', 'The') }, 'writing'],
    ['its thoughts', { open: open('thinking', '') }, 'thinking'],
    ['nothing yet', { entries: [] }, '→ Running coder…'],
    ['its turn at the provider', { atATime: 1 }, 'waiting for the model (1 at a time)'],
    ['a question before all', { phase: 'waiting', atATime: 1, open: open('text', 'The') }, 'waiting for you'],
    ['its slot', { phase: 'queued' }, 'waiting for its turn'],
    ['the answers to the others', { phase: 'queued', forOthers: true }, 'allowed: starts when the others are answered'],
    ['its review', { reviewing: true }, 'Reviewing its answer…'],
    ['a wait for the provider', { retrying: true }, 'waiting for the provider'],
  ] as const)('describes %s', (_, change, words) => {
    expect(says(nowIn(change as Partial<Working>))).toBe(words);
  });

  test('names a tool that has no text of its own', () => {
    expect(says({ kind: 'call', name: 'mcp__maps__route', argument: 'Rome' })).toBe('using maps · route Rome');
    expect(says({ kind: 'call', name: 'list_directory', argument: '.' })).toBe('looking into the folder');
  });
});

test('tightest returns the limit with the highest used share, and ignores an unknown cost', () => {
  const tokens = { kind: 'tokens', used: 50, of: 100 } as const;
  const turns = { kind: 'iterations', used: 18, of: 20 } as const;
  expect(tightest([tokens, turns])).toEqual({ bound: turns, share: 0.9 });
  expect(tightest([{ kind: 'costUsd', used: null, of: 1 }])).toBeNull();
  expect(tightest([{ ...tokens, used: 300 }])?.share).toBe(1);
});

test('shows the used share of a limit only while the agent works', () => {
  const { story, first } = team('coder', {});
  const run = reduceStory(story).runs.find(({ id: runId }) => runId === first.runId)!;
  const working = { ...run, attempt: 1, usage: { ...run.usage, requests: 2 } };
  expect(budgetOf(working, [], true)?.bound).toMatchObject({ kind: 'iterations', used: 2 });
  expect(budgetOf(working, [], false)).toBeNull();
  expect(budgetOf({ ...working, attempt: 0 }, [], true)).toBeNull();
});

test('a message to a sub-agent is unread until an entry of the run contains it', () => {
  const { story, first } = team('coder', {});
  first.say({ type: 'run-say', wordId: idOf(70), text: 'Mind the tests.' });
  first.say({ type: 'run-say', wordId: idOf(71), text: 'And the docs.' });
  const row = () => reduceStory(story).runs.find(({ id: runId }) => runId === first.runId)!;
  const unread = () =>
    unreadWords(row().said, reduceStory(story).entries.get(first.runId) ?? []).map((word) => word.text);
  expect(unread()).toEqual(['Mind the tests.', 'And the docs.']);
  const entry = { kind: 'user', source: 'person', text: 'Mind the tests.', said: idOf(70) } as const;
  first.say({ type: 'message-end', entry: { ...entry, n: first.entries, at: story.at } });
  expect(unread()).toEqual(['And the docs.']);
});

test('a run waits for its turn at the provider until its request is sent', () => {
  const { story, first } = team('coder', {});
  first.say({ type: 'turn-start', turn: 1, model: 'sonnet', atATime: 1 });
  expect(reduceStory(story).asking).toEqual({ [first.runId]: 1 });
  first.say({ type: 'request-start', turn: 1, request: startOf(requestUsage(story, {})) });
  expect(reduceStory(story).asking).toEqual({});
});

test('namesWorker is true if the working agent is not the agent in the card header', () => {
  const [at, other] = [{ id: idOf(3) }, { id: idOf(4) }];
  expect(namesWorker({ at, working: at }, { kind: 'writes' })).toBe(false);
  expect(namesWorker({ at, working: other }, { kind: 'writes' })).toBe(true);
  expect(namesWorker({ at, working: other }, { kind: 'starts' }), 'the line names it itself').toBe(false);
});

describe('findFrontLane', () => {
  const lanes = (...phases: Phase[]) => phases.map((phase, at) => ({ id: 'abc'[at]!, phase }));

  test.each<[string, Phase[], string | null, string]>([
    ['a lane that waits for the person before the followed one', ['running', 'running', 'waiting'], 'b', 'c'],
    ['the followed lane of two that wait', ['waiting', 'waiting'], 'b', 'b'],
    ['the followed lane before another that runs', ['running', 'queued'], 'b', 'b'],
    ['a running lane before the followed one that ended', ['completed', 'running'], 'a', 'b'],
    ['a running lane before one that failed', ['error', 'completed', 'running'], null, 'c'],
    ['a running lane before a queued one', ['queued', 'running'], null, 'b'],
    ['a queued lane before one that ended', ['completed', 'queued'], null, 'b'],
    ['the followed lane when all ended', ['error', 'completed'], 'b', 'b'],
    ['a failed lane when all ended', ['completed', 'error'], null, 'b'],
    ['the first lane when all completed', ['completed', 'completed'], null, 'a'],
  ])('shows %s', (_, phases, followedId, front) => {
    expect(findFrontLane(lanes(...phases), followedId)).toBe(front);
  });

  test('returns null without lanes', () => {
    expect(findFrontLane([], 'a')).toBeNull();
  });
});
