// A transcript keeps its blocks in place when a message ends, and knows where each call stands.
import { describe, expect, it } from 'vitest';
import type { Approval } from '#contract/approval.ts';
import type { AgentEvent } from '#contract/event.ts';
import { fromSnapshot, reduce, type View } from '#lib/view/reduce.ts';
import { blocksOf, mainArgument, type Block } from '#lib/view/transcript.ts';
import { Rows } from '../support/rows.ts';
import { Recording } from '../../support/recording.ts';
import { workflow } from '../support/workflows.ts';

function views(early: boolean): View[] {
  const story = new Recording();
  const children = [
    { allowed: true, finished: true },
    { allowed: false, finished: false },
  ];
  workflow(story, { prompt: 'Do it', answer: 'Done.', children, retry: false, early, resumed: false });
  let view = fromSnapshot(new Rows().snapshot());
  return story.events.map((event: AgentEvent) => (view = reduce(view, [event])));
}

function leadBlocks(view: View): Block[] {
  const run = view.runs.find(({ parentRunId }) => parentRunId === null);
  if (!run) return [];
  const open = view.open.find(({ runId }) => runId === run.id) ?? null;
  const children = view.runs.filter(({ parentRunId }) => parentRunId === run.id);
  return blocksOf({
    run,
    entries: view.entries.get(run.id) ?? [],
    calls: view.calls,
    open,
    children,
    approvals: view.approvals,
  });
}

describe.each([
  ['a message that came whole', false],
  ['a message that was acted upon while it came', true],
])('blocksOf %s', (_, early) => {
  it('never removes or renames a block', () => {
    let before: string[] = [];
    for (const view of views(early)) {
      const keys = leadBlocks(view).map(({ key }) => key);
      expect(keys.slice(0, before.length)).toEqual(before);
      before = keys;
    }
  });

  it('follows a call from its first letter to its result', () => {
    const states = views(early).flatMap((view) =>
      leadBlocks(view).flatMap((block) => (block.kind === 'call' ? [block.call.state] : [])),
    );
    expect([...new Set(states)]).toEqual(['writing', 'pending', 'waiting', 'running', 'completed']);
  });

  it('puts the runs that a call asked for under it, in the order of the items', () => {
    const last = views(early).at(-1);
    if (!last) throw new Error('the story has events');
    const call = leadBlocks(last).find(({ kind }) => kind === 'call');
    expect(call?.kind === 'call' && call.call.children.map(({ agent }) => agent)).toEqual(['agent-0', 'agent-1']);
  });
});

describe('blocksOf an open message', () => {
  it('shows the input, sub-agents and result of its call', () => {
    const open = views(true).filter((view) => view.open.some(({ parts }) => parts[1]?.kind === 'tool'));
    const calls = open.flatMap((view) =>
      leadBlocks(view).flatMap((block) => (block.kind === 'call' ? [block.call] : [])),
    );
    expect(calls.find(({ state }) => state === 'running')).toMatchObject({ input: { tasks: 2 } });
    expect(calls.find(({ state }) => state === 'running')?.children).toHaveLength(2);
    expect(calls.at(-1)).toMatchObject({ state: 'completed', result: { output: 'done' } });
  });
});

describe('mainArgument', () => {
  it('returns the argument that distinguishes calls, on one line', () => {
    expect(mainArgument({ content: 'x', path: 'a/b.ts' })).toBe('a/b.ts');
    expect(mainArgument({ n: 1, other: 'two\nlines' })).toBe('two ⏎ lines');
    expect(mainArgument({ from: 'a.ts', to: 'b/a.ts' })).toBe('a.ts → b/a.ts');
    expect(mainArgument({ path: 'src', pattern: 'TODO' })).toBe('TODO · src');
    expect(mainArgument({ path: '.', pattern: 'TODO' })).toBe('TODO');
    expect(mainArgument(null)).toBe('');
  });
});

it('shows that a response was cut off after a call, with the lost calls', () => {
  const [last] = views(true).slice(-1);
  if (!last) throw new Error('the story has events');
  const cut = { calls: ['write_file'] };
  const entries = new Map(
    [...last.entries].map(([runId, own]) => [
      runId,
      own.map((entry) => (entry.kind === 'assistant' && entry.stopReason === 'tool_use' ? { ...entry, cut } : entry)),
    ]),
  );
  expect(leadBlocks({ ...last, entries })).toContainEqual(expect.objectContaining({ kind: 'cut', ...cut }));
  expect(leadBlocks(last).map(({ kind }) => kind)).not.toContain('cut');
});

it('marks a call that the person edited before allowing it', () => {
  const view = views(false).at(-1)!;
  const run = view.runs.find(({ parentRunId }) => parentRunId === null)!;
  const entries = view.entries.get(run.id) ?? [];
  const shown = (approvals: readonly Approval[]) =>
    blocksOf({ run, entries, calls: view.calls, open: null, children: [], approvals }).flatMap((block) =>
      block.kind === 'call' ? [block.call] : [],
    );
  const [call] = shown([]);
  const decided = (outcome: string) => {
    const request = { runId: run.id, toolCallId: call!.id, subject: { kind: 'tool' } };
    return { request, decisions: [{ allowed: true, decidedBy: 'person', outcome }] } as unknown as Approval;
  };
  expect(shown([decided('edited')])[0]?.edited).toBe(true);
  expect(shown([decided('approved')])[0]?.edited).toBeUndefined();
});
