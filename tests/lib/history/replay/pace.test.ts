// Time passes as it did, with waits folded to an instant, on one scale for the scrubber and the player.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { countAt, foldsIn, paceOf, timesOf } from '#lib/history/replay/pace.ts';
import { viewBefore } from '#lib/view/replay/keyframes.ts';
import { reduce } from '#lib/view/reduce.ts';
import { samples } from '../../../support/samples.ts';
import { emptyConversation } from '../../support/rows.ts';
import { Recording } from '../../../support/recording.ts';

const gaps = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 100_000 })), { maxLength: 6 })
  .map((parts) => {
    let at = 0;
    return parts.map(([free, length]) => {
      const from = at + free;
      at = from + length;
      return { from, to: at, parts: [] };
    });
  });

it('converts between scale positions and moments without loss', () => {
  fc.assert(
    fc.property(gaps, fc.double({ min: 0, max: 1, noNaN: true }), (folds, place) => {
      const scale = paceOf({ from: 0, to: (folds.at(-1)?.to ?? 0) + 3000 }, folds);
      expect(scale.at(scale.moment(place))).toBeCloseTo(place, 6);
    }),
    samples(100),
  );
});

it('shortens a folded wait to 1.5 seconds, and keeps the true length without folds', () => {
  const folds = [{ from: 60_000, to: 600_000, parts: [] }];
  const span = { from: 0, to: 1_000_000 };
  const scale = paceOf(span, folds);
  expect((scale.at(600_000) - scale.at(60_000)) * scale.length).toBeCloseTo(1500, 6);
  expect(paceOf(span, []).length).toBe(1_000_000);
  expect(scale.length).toBe(1_000_000 - 540_000 + 1500);
});

it('folds what waits for the person, and not the time of a model or a tool', () => {
  const story = new Recording({ stepMs: 1 });
  const { lead } = story.startWorkflow('Go');
  lead.answer('I write.', { id: 'toolu_1', name: 'write_file', input: {} });
  const { id } = lead.ask('toolu_1', [lead.child('helper')]);
  const asked = Date.parse(story.at);
  story.pass(90_000);
  lead.decide(id, 0, true);
  lead.toolStart('toolu_1', 'write_file');
  story.pass(30_000);
  lead.toolEnd('toolu_1', 'write_file', 'completed', {}, 30_000);
  story.endWorkflow(lead, 'completed', '');
  const events = story.events.filter((event): event is DurableEvent => 'seq' in event);
  const view = reduce(viewBefore(emptyConversation()), events);
  const times = timesOf(events);
  const folds = foldsIn(view, events, { from: times[0]!, to: times.at(-1)! });
  expect(folds).toHaveLength(1);
  expect(Math.abs(folds[0]!.from - asked)).toBeLessThan(100);
  expect(folds[0]!.to - folds[0]!.from).toBeGreaterThan(89_900);
  expect(folds[0]!.to - folds[0]!.from).toBeLessThan(90_100);
});

it('keeps event times in ascending order, and counts the events up to a moment', () => {
  const at = (second: number) => ({ at: new Date(second * 1000).toISOString() }) as DurableEvent;
  const times = timesOf([at(1), at(5), at(3), at(6)]);
  expect(times).toEqual([1000, 5000, 5000, 6000]);
  expect([0, 1000, 4999, 5000, 5500, 6000, 9999].map((now) => countAt(times, now))).toEqual([0, 1, 1, 3, 3, 4, 4]);
});
