/** The row writes of what is said beside a run's transcript: to the person, and by the person. */
import type { DurableEvent } from '#contract/event.ts';
import type { Write } from './store.ts';

type Event<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;

export function noticed({ runId, level, text, at }: Event<'notice'>): Write[] {
  // A conversation may be purged before what was told of it late.
  return [{ kind: 'update', table: 'run', key: runId, append: { notices: { level, text, at } }, isOptional: true }];
}

export function said({ runId, wordId: id, text, at }: Event<'run-say'>): Write[] {
  return [{ kind: 'update', table: 'run', key: runId, append: { said: { id, text, at } } }];
}
