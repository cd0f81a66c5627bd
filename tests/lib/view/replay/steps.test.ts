// Steps are what a person sees happen; marks are those that are worth a look; a fork goes on from the lead's last entry.
import { expect, it } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { forkPlaceOf } from '#lib/view/replay/fork-place.ts';
import { viewBefore } from '#lib/view/replay/keyframes.ts';
import { marksOf, stepAfter, stepsOf } from '#lib/view/replay/steps.ts';
import { reduce } from '#lib/view/reduce.ts';
import { text } from '#lib/words/text.ts';
import { emptyConversation } from '../../support/rows.ts';
import { Recording } from '../../../support/recording.ts';

const story = new Recording();
const { lead } = story.startWorkflow('Look around.');
const helper = lead.child('helper');
lead.answer('I ask for help.', { id: 'toolu_1', name: 'spawn_agent', input: { agent: 'helper' } });
helper.queue('spawn', 'Look.', 'toolu_1');
const { id } = lead.ask('toolu_1', [helper]);
story.pass(42_000);
lead.decide(id, 0, true);
lead.toolStart('toolu_1', 'spawn_agent');
helper.start('Look.');
helper.user('parent', 'Look.');
helper.answer('', { id: 'toolu_2', name: 'read_file', input: { path: 'a.txt' } });
helper.toolStart('toolu_2', 'read_file');
helper.toolEnd('toolu_2', 'read_file', 'error');
helper.end('completed', 'report');
lead.toolEnd('toolu_1', 'spawn_agent');
lead.answer('Done.');
story.endWorkflow(lead, 'completed', 'Done.');
const events = story.events.filter((event): event is DurableEvent => 'seq' in event);
const times = events.map(({ at }) => Date.parse(at));
const steps = stepsOf(events, times);
const { runs } = reduce(viewBefore(emptyConversation()), events);

it('describes each visible step in a sentence', () => {
  expect(steps.map((step) => text.replay.step(step, text))).toEqual([
    'You sent the message',
    'lead starts',
    'lead answers',
    'lead: I ask for help. (asks for 1 call)',
    'lead asks you: Start helper?',
    'You said yes after 0:42: Start helper?',
    'lead: using spawn_agent',
    'helper starts',
    'helper answers',
    'helper asks for 1 call',
    'helper: reading',
    'helper: read_file failed',
    'helper has ended: completed',
    'lead: spawn_agent is done',
    'lead answers',
    'lead: Done.',
    'lead has ended: completed',
    'The workflow has ended: completed',
  ]);
});

it('stepAfter returns the last step within a number of events', () => {
  expect(stepAfter(steps, 0)).toBe(-1);
  expect(stepAfter(steps, events.length)).toBe(steps.length - 1);
  for (const [index, { count }] of steps.entries()) expect(stepAfter(steps, count)).toBe(index);
});

it('marks starts, approvals and ends, with close marks merged', () => {
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0];
  const marks = marksOf(steps, runs, (at) => (at - from) / (to - from));
  expect(marks.map(({ kind, mark, step }) => [kind, mark, step])).toEqual([
    ['ask', 'lead', 4],
    ['start', 'first', 7],
    ['end', 'first', 12],
    ['done', null, 17],
  ]);
  const twice = [...steps, ...steps].map((step) => ({ ...step }));
  expect(marksOf(twice, runs, () => 0.5)).toHaveLength(4);
});

it('forks before the message, at the last entry of the lead, or after the whole workflow', () => {
  const at = (step: number) => forkPlaceOf(events, steps[step]?.count ?? 0, lead.runId);
  expect(forkPlaceOf(events, 0, lead.runId)).toEqual({ end: 'before' });
  expect(at(1)).toEqual({ end: 'before' });
  expect(at(3)).toEqual({ end: 'after', entry: 1 });
  expect(at(11), 'of what its sub-agent does the lead knows nothing yet').toEqual({ end: 'after', entry: 1 });
  expect(at(13)).toEqual({ end: 'after', entry: 2 });
  expect(at(17)).toEqual({ end: 'after' });
});
