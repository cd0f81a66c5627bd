// A place in a long conversation or transcript is found, whatever is shown at the moment.
import { describe, expect, it } from 'vitest';
import type { Entry } from '#contract/message.ts';
import { messagesWith } from '#lib/chat/find.ts';
import { Session } from '#lib/runs/session.svelte.ts';
import { blockIndexOf, blocksOf } from '#lib/view/transcript.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { reduceStory } from '../support/flows.ts';
import { Rows } from '../support/rows.ts';
import { conversationId, Recording } from '../../support/recording.ts';

function conversation(): Recording {
  const story = new Recording();
  for (const [prompt, answer] of [
    ['Look at the zebra', 'It is **black** and white.'],
    ['And the quokka?', 'It sleeps.'],
  ] as const) {
    const { lead } = story.startWorkflow(prompt);
    lead.answer('I read.', { id: 'toolu_read', name: 'read_file', input: { path: 'a.txt' } });
    lead.toolEnd('toolu_read', 'read_file');
    lead.answer(answer);
    story.endWorkflow(lead, 'completed', answer);
  }
  return story;
}

describe('messagesWith', () => {
  it('searches the rendered text of the person and the lead', () => {
    const view = reduceStory(conversation());
    expect(messagesWith(view, 'ZEBRA')).toEqual([0]);
    expect(messagesWith(view, 'black and white')).toEqual([0]);
    expect(messagesWith(view, 'i')).toEqual([0, 1]);
    expect(messagesWith(view, '  ')).toEqual([]);
    expect(messagesWith(view, 'giraffe')).toEqual([]);
  });
});

describe('blockIndexOf', () => {
  it('returns the block of each entry, with a tool result at its call', () => {
    const view = reduceStory(conversation());
    const [run] = view.runs;
    if (!run) throw new Error('the story has a run');
    const entries: readonly Entry[] = view.entries.get(run.id) ?? [];
    const blocks = blocksOf({ run, entries, calls: [], open: null, children: [], approvals: [] });
    expect(entries.map(({ kind }) => kind)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const found = entries.map(({ n }) => blocks[blockIndexOf(blocks, entries, n)]?.kind);
    expect(found).toEqual(['user', 'text', 'call', 'text']);
    expect(blockIndexOf(blocks, entries, 99)).toBe(-1);
  });
});

describe('a chat session', () => {
  it('reports messages loaded above the visible ones until another event arrives', async () => {
    const story = conversation();
    const rows = new Rows();
    for (const event of story.events) rows.take(event);
    const whole = rows.snapshot();
    const connection = new FakeConnection()
      .on('conversation.snapshot', () => ({ ...whole, workflows: whole.workflows.slice(1), more: true }))
      .on('conversation.earlier', () => ({ ...whole, workflows: whole.workflows.slice(0, 1) }));
    let flush = (): void => undefined;
    const session = new Session(connection, conversationId, (callback) => {
      flush = callback;
      return () => undefined;
    });
    await settled();
    expect(session.grewAtStart).toBe(false);
    await session.loadEarlier();
    expect([session.view?.workflows.length, session.grewAtStart]).toEqual([2, true]);
    story.startWorkflow('One more');
    for (const event of story.events.slice(-4)) connection.send('conversation', event);
    flush();
    expect([session.view?.workflows.length, session.grewAtStart]).toEqual([3, false]);
    session.close();
  });
});
