// The view after any number of events is what a straight reduction gives, in whatever order it is asked for.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { Keyframes, viewBefore } from '#lib/view/replay/keyframes.ts';
import { reduce } from '#lib/view/reduce.ts';
import { samples } from '../../../support/samples.ts';
import { emptyConversation } from '../../support/rows.ts';
import { Recording } from '../../../support/recording.ts';
import { workflow } from '../../support/workflows.ts';

const story = new Recording();
const children = [
  { allowed: true, finished: true },
  { allowed: false, finished: false },
  { allowed: true, finished: false },
];
workflow(story, { prompt: 'Go', answer: 'Done.', children, retry: true, early: true, resumed: true });
const events = story.events.filter((event): event is DurableEvent => 'seq' in event);
const start = viewBefore(emptyConversation());

it('equals a plain reduction at random positions, in any order', () => {
  const cut = fc.nat({ max: events.length });
  fc.assert(
    fc.property(fc.array(cut, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 40 }), (cuts, every) => {
      const frames = new Keyframes(start, every);
      for (let from = 0; from < events.length; from += 17) frames.add(events.slice(from, from + 17));
      for (const count of cuts) expect(frames.at(count)).toEqual(reduce(start, events.slice(0, count)));
    }),
    samples(60),
  );
});

it('applies fewer events than the distance between two keyframes', () => {
  const frames = new Keyframes(start, 10);
  frames.add(events);
  const read: number[] = [];
  const { slice } = frames.events;
  frames.events.slice = (from = 0, to = 0) => {
    read.push(to - from);
    return slice.call(frames.events, from, to);
  };
  for (const count of [events.length, 3, 37, 12, events.length - 1, 0, 32, 33]) frames.at(count);
  expect(Math.max(...read)).toBeLessThan(10);
  expect(read.at(-1), 'the next one goes on from the last').toBe(1);
});

it('clamps positions outside the events', () => {
  const frames = new Keyframes(start, 10);
  frames.add(events);
  expect(frames.at(-5)).toEqual(start);
  expect(frames.at(events.length + 5)).toEqual(reduce(start, events));
});

it('starts without workflows and usage', () => {
  const spent = { ...emptyConversation(), lastSeq: 90, usage: { ...emptyConversation().usage, requests: 7 } };
  const view = viewBefore(spent);
  expect([view.workflows, view.conversation.usage.requests, view.conversation.lastSeq]).toEqual([[], 0, 0]);
});
