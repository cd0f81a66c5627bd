/** The wait of a run for its provider after an event. Apart from the schema: the page parses nothing. */
import type { EventDraft, HintEvent } from '../event.ts';
import type { ProviderWait } from './provider-wait.ts';

/** What an event says about the wait of its run. Undefined: nothing; null: the run waits no more. */
export function providerWaitAfter(event: EventDraft | HintEvent): ProviderWait | null | undefined {
  switch (event.type) {
    case 'retry':
      return { at: event.at, attempt: event.attempt, delayMs: event.delayMs, error: event.error };
    case 'request-silent': {
      const at = new Date(Date.parse(event.at) - event.silentMs).toISOString();
      return { at, attempt: event.attempt, delayMs: null, error: null };
    }
    case 'usage':
      return event.request.error === null ? null : undefined;
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
