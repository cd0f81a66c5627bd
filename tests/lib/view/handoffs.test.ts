// A handoff is one line that says who has the work, in which round and with which verdict, and what changed until then.
import { describe, expect, it } from 'vitest';
import type { RunRow } from '#contract/view.ts';
import { filesChanged, linesOf } from '#lib/view/handoffs.ts';
import type { View } from '#lib/view/reduce.ts';
import { type Block, blockIndexOf, blocksOf } from '#lib/view/transcript.ts';
import { flowWords } from '#lib/words/flow-words.ts';
import { flow, round, type Team, team, reduceStory } from '../support/flows.ts';

function work(): Team {
  return team('coder', { flow: flow('reviewer') });
}

function blocks(view: View, runId: string): Block[] {
  const run = view.runs.find(({ id }) => id === runId) as RunRow;
  const { calls, approvals } = view;
  return blocksOf({ run, entries: view.entries.get(runId) ?? [], calls, open: null, children: [], approvals });
}

/** What the lines of handoffs read. */
function lines({ story, first }: Team): string[] {
  return blocks(reduceStory(story), first.runId).flatMap((block) =>
    block.kind === 'handoff' ? [flowWords.handoff(block.handoff.entry)] : [],
  );
}

function write(voice: Team['first'], path: string, metadata: Record<string, unknown>): void {
  voice.toolEnd(`toolu_${path}_${voice.entries}`, 'edit_file', 'completed', { path, undoable: true, ...metadata });
}

describe('the lines of handoffs', () => {
  it('number the rounds and give each verdict', () => {
    const pair = work();
    round(pair, 'reviewer', 1, { passed: false, score: 60, critique: 'Too short.' });
    round(pair, 'reviewer', 2, { passed: true, score: 85, critique: 'Good.' });
    expect(lines(pair)).toEqual([
      '→ reviewer, round 1 of 3',
      '← reviewer: wants changes, 60 of 100',
      '→ reviewer, round 2 of 3',
      '← reviewer: approved, 85 of 100',
    ]);
  });

  it('report a failed coagent, an answer without a verdict, and a further round of a loop', () => {
    const way = { from: 'reviewer', to: 'coder', runId: null, round: 1, rounds: 3, answer: 1, prompt: 'Go on.' };
    const entry = { ...way, kind: 'handoff', n: 2, at: '2026-01-02T03:04:05.000Z' } as const;
    const review = { answer: 1, verdict: null };
    expect(
      [
        { ...entry, back: { outcome: 'error' as const, error: 'It broke.' } },
        { ...entry, back: { outcome: 'completed' as const } },
        { ...entry, back: { outcome: 'completed' as const, review } },
        { ...entry, back: { outcome: 'completed' as const, review: verdictOf(null) } },
        entry,
      ].map(flowWords.handoff),
    ).toEqual([
      '← reviewer failed',
      '← reviewer answers',
      '← reviewer: its verdict could not be read',
      '← reviewer: wants changes',
      'Again, round 2 of 3',
    ]);
  });
});

function verdictOf(score: number | null) {
  return { answer: 1, verdict: { passed: false, score, critique: 'No.' } };
}

describe('the contents of a handoff', () => {
  it('lists the files changed since the previous handoff, with changes of one file combined', () => {
    const pair = work();
    write(pair.first, 'src/b.ts', { added: 4, removed: 1 });
    write(pair.first, 'src/a.ts', { added: 1, removed: 0 });
    write(pair.first, 'src/b.ts', { added: 2, removed: 3 });
    round(pair, 'reviewer', 1, { passed: false, score: 60, critique: 'Too short.' });
    write(pair.first, 'src/c.ts', { also: ['src/d.ts'] });
    round(pair, 'reviewer', 2, null);
    const out = blocks(reduceStory(pair.story), pair.first.runId).flatMap((block) =>
      block.kind === 'handoff' && !block.handoff.entry.back ? [block.handoff.files] : [],
    );
    expect(out).toEqual([
      [
        { path: 'src/a.ts', added: 1, removed: 0 },
        { path: 'src/b.ts', added: 6, removed: 4 },
      ],
      [
        { path: 'src/c.ts', added: null, removed: null },
        { path: 'src/d.ts', added: null, removed: null },
      ],
    ]);
    expect(out.map(linesOf)).toEqual([{ added: 7, removed: 4 }, null]);
  });

  it('excludes calls that changed no file', () => {
    const pair = work();
    pair.first.toolEnd('toolu_read', 'read_file', 'completed', { path: 'src/a.ts', lines: 3 });
    expect(filesChanged(reduceStory(pair.story).entries.get(pair.first.runId) ?? [])).toEqual([]);
  });

  it('contains the message that came with it, which is shown nowhere else', () => {
    const pair = work();
    round(pair, 'reviewer', 1, { passed: false, score: 60, critique: 'Too short.' });
    const view = reduceStory(pair.story);
    const shown = blocks(view, pair.first.runId);
    expect(shown.filter(({ kind }) => kind === 'user')).toHaveLength(1);
    const last = shown.at(-1);
    const said = last?.kind === 'handoff' ? last.handoff.said : null;
    expect(said?.text).toContain('Too short.');
    const entries = view.entries.get(pair.first.runId) ?? [];
    expect(blockIndexOf(shown, entries, said?.n ?? -1)).toBe(shown.length - 1);
  });
});

it('attributes words of a coagent in the answer to the coagent', () => {
  const pair = work();
  pair.first.answer('All is done.');
  const view = reduceStory(pair.story);
  const own = view.entries.get(pair.first.runId) ?? [];
  const entries = own.map((entry) => (entry.kind === 'assistant' ? { ...entry, by: 'reviewer' } : entry));
  const by = (list: View['entries']) =>
    blocks({ ...view, entries: list }, pair.first.runId).flatMap((block) => (block.kind === 'text' ? [block.by] : []));
  expect(by(new Map(view.entries).set(pair.first.runId, entries))).toEqual(['reviewer']);
  expect(by(view.entries)).toEqual([null]);
});
