// The view is the same whether it was reduced from every event, or attached to at any moment.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import type { Snapshot } from '#contract/view.ts';
import { attach, fromSnapshot, reduce, type View } from '#lib/view/reduce.ts';
import { emptyConversation, Rows } from '../support/rows.ts';
import { Recording } from '../../support/recording.ts';
import { workflow, type Choices } from '../support/workflows.ts';
import { samples } from '../../support/samples.ts';

const choices: fc.Arbitrary<Choices> = fc.record({
  prompt: fc.string({ minLength: 1, maxLength: 120 }),
  answer: fc.string({ minLength: 1, maxLength: 60 }),
  children: fc.array(fc.record({ allowed: fc.boolean(), finished: fc.boolean() }), { maxLength: 3 }),
  retry: fc.boolean(),
  early: fc.boolean(),
  resumed: fc.boolean(),
});

function storyOf(workflows: readonly Choices[]): AgentEvent[] {
  const story = new Recording();
  for (const one of workflows) workflow(story, one);
  return story.events;
}

function emptyView(): View {
  const lists = { workflows: [], runs: [], calls: [], approvals: [], open: [] };
  return fromSnapshot({ seq: 0, conversation: emptyConversation(), more: false, entries: {}, ...lists });
}

function snapshotAfter(events: readonly AgentEvent[]): Snapshot {
  const rows = new Rows();
  for (const event of events) rows.take(event);
  return rows.snapshot();
}

describe('reduce', () => {
  it('gives the rows that the engine stores', () => {
    fc.assert(
      fc.property(fc.array(choices, { minLength: 1, maxLength: 3 }), (workflows) => {
        const events = storyOf(workflows);
        const view = reduce(emptyView(), events);
        expect(view).toEqual(fromSnapshot(snapshotAfter(events)));
      }),
      samples(20),
    );
  });

  it('keeps a title that was given before the first message', () => {
    const named = { ...emptyView(), conversation: { ...emptyView().conversation, title: 'Named' } };
    const [one] = fc.sample(choices, 1);
    expect(reduce(named, storyOf([one!])).conversation.title).toBe('Named');
  });

  it('needs only durable events for a finished conversation', () => {
    fc.assert(
      fc.property(choices, (one) => {
        const events = storyOf([one]);
        const durable = events.filter((event) => 'seq' in event);
        expect(reduce(emptyView(), durable)).toEqual(reduce(emptyView(), events));
      }),
      samples(15),
    );
  });

  it('gives an equal view from a snapshot at any event, with overlapping delivery', () => {
    fc.assert(
      fc.property(choices, fc.nat(), fc.nat(), (one, cut, overlap) => {
        const events = storyOf([one]);
        const at = cut % (events.length + 1);
        const from = Math.max(0, at - (overlap % 12));
        const view = attach(snapshotAfter(events.slice(0, at)), events.slice(from));
        expect(view).toEqual(reduce(emptyView(), events));
      }),
      samples(50),
    );
  });

  it('shows equal streaming text with and without a snapshot', () => {
    fc.assert(
      fc.property(choices, fc.nat(), (one, cut) => {
        const events = storyOf([one]);
        const middle = cut % events.length;
        const attached = fromSnapshot(snapshotAfter(events.slice(0, middle)));
        const both = [attached, reduce(emptyView(), events.slice(0, middle))];
        const [a, b] = both.map((view) => texts(reduce(view, events.slice(middle, middle + 6))));
        expect(a).toEqual(b);
      }),
      samples(50),
    );
  });
});

/** The engine knows a message from its first piece on, the view from its start on: what counts is the text. */
function texts(view: View): string[][] {
  return view.open.map(({ parts }) => parts.map(({ text }) => text)).filter((parts) => parts.length > 0);
}
