/** Finds the wait of a run for its provider in events. Apart from the schema, because the page parses nothing. */
import type { EventDraft, HintEvent } from '../event.ts';
import { SHOW_SILENCE_MS } from '../limits.ts';
import type { ProviderWait } from './provider-wait.ts';

type WaitEvent = Extract<EventDraft | HintEvent, { type: 'retry' | 'request-silent' }>;

/** Returns the wait of the event's run after the event; null if it waits no more, undefined if the event changes nothing. */
export function findProviderWait(event: EventDraft | HintEvent): ProviderWait | null | undefined {
  switch (event.type) {
    case 'retry':
      return { at: event.at, attempt: event.attempt, delayMs: event.delayMs, error: event.error };
    case 'request-silent': {
      const at = new Date(Date.parse(event.at) - event.silentMs).toISOString();
      return { at, attempt: event.attempt, delayMs: null, error: null };
    }
    case 'usage': {
      // A failed request of a turn is followed by `retry` or `run-end`; one outside of the turns can be the last event.
      const { error, purpose } = event.request;
      return error === null || purpose !== undefined ? null : undefined;
    }
    case 'message-start':
    case 'message-part':
    case 'message-end':
    case 'message-delta':
    case 'thinking-delta':
    case 'tool-delta':
    case 'run-end':
      return null;
    default:
      return undefined;
  }
}

/** Tries whose waits are all reported. Later waits are long. */
const FIRST_TRIES = 7;
/** A silence is reported once, although its hints repeat; in milliseconds. */
const ONE_REPORT_MS = 5000;

/** Returns whether a list of lines reports this wait: the first tries, then one of ten; a silence once. */
export function isReportedWait(event: WaitEvent): boolean {
  if (event.type === 'request-silent') return event.silentMs <= SHOW_SILENCE_MS + ONE_REPORT_MS;
  return event.attempt <= FIRST_TRIES || event.attempt % 10 === 0;
}
