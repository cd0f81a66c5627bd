/** Every adapter knows every type of event, and the recordings that they are tested with hold every type. */
import { describe, expect, test } from 'vitest';
import { DurableEvent, HintEvent, type AgentEvent } from '#contract/event.ts';
import { loopEvent } from '#core/host/records/adapters/agent-events.ts';
import { observe } from '#core/host/records/adapters/progress.ts';
import { recordedTrouble, recordedWorkflow } from '../../../../support/events.ts';
import { lead, reviewer } from '../../../../support/recording.ts';
import { recordedServing } from '../../../../support/flows/served.ts';

const types = [...DurableEvent.options, ...HintEvent.options].map(({ shape }) => shape.type.value);
const recorded = [...recordedWorkflow().events, ...recordedTrouble().events, ...recordedServing().events];
const nobody = {
  onAgentSpawn: () => undefined,
  onAgentComplete: () => undefined,
  onAgentError: () => undefined,
};

describe('recorded test events', () => {
  test('contain every event type of the contract', () => {
    expect(new Set(recorded.map(({ type }) => type))).toEqual(new Set(types));
  });

  test.for([
    ['the good one', recordedWorkflow()],
    ['the bad one', recordedTrouble()],
    ['the one with coagents and stages', recordedServing()],
  ] as const)('%s matches the contract and has gapless event numbers', ([, { events, durable }]) => {
    for (const event of events) {
      const schema = 'seq' in event ? DurableEvent : HintEvent;
      expect(schema.parse(event)).toEqual(event);
    }
    expect(durable.map(({ seq }) => seq)).toEqual(durable.map((_, index) => index + 1));
  });
});

// A type that a switch forgets would give undefined, which is neither an event nor a deliberate nothing.
describe.for(types)('event type %s', (type) => {
  const found = recorded.filter((event) => event.type === type);
  const events = found.flatMap((event): AgentEvent[] => [
    { ...event, parentRunId: null },
    { ...event, parentRunId: lead.runId, runId: reviewer.runId },
  ]);

  test('is handled by loopEvent', () => {
    expect(events.map((event): unknown => loopEvent(event))).not.toContain(undefined);
  });

  test('is handled by observe', () => {
    const results: unknown[] = events.map((event) => observe(event, nobody));
    expect(results.every((result) => result === undefined)).toBe(true);
  });
});
