/** Send buffer of one subscriber: merges hints for one frame; a durable event flushes what came before it. */
import type { AgentEvent, HintEvent } from '#contract/event.ts';

const FRAME_MS = 16;

export interface Outbox {
  push(event: AgentEvent): void;
  /** Sends everything buffered now. */
  flush(): void;
  /** Drops everything buffered and ignores further events. */
  close(): void;
}

/** While `congested`, hints are dropped: the end of a message carries its whole text. */
export function createOutbox(send: (events: AgentEvent[]) => void, congested: () => boolean): Outbox {
  let waiting: AgentEvent[] = [];
  /** Index in `waiting` of the merged hint of each part; order across messages does not matter. */
  const growing = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let prompt = false;
  let closed = false;

  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    prompt = false;
    growing.clear();
    if (closed || waiting.length === 0) return;
    const events = waiting;
    waiting = [];
    send(events);
  };

  return {
    push: (event) => {
      if (closed) return;
      if (isHint(event)) {
        if (congested()) return;
        merge(waiting, growing, event);
        timer ??= setTimeout(flush, FRAME_MS);
        return;
      }
      waiting.push(event);
      // All events of one commit are published in the same turn: they leave in one frame.
      if (!prompt) queueMicrotask(flush);
      prompt = true;
    },
    flush,
    close: () => {
      closed = true;
      waiting = [];
      flush();
    },
  };
}

function isHint(event: AgentEvent): event is HintEvent {
  return !('seq' in event);
}

function merge(waiting: AgentEvent[], growing: Map<string, number>, event: HintEvent): void {
  const key = getHintKey(event);
  const index = growing.get(key);
  const whole = index === undefined ? null : merged(waiting[index], event);
  if (index !== undefined && whole) waiting[index] = whole;
  else growing.set(key, waiting.push(event) - 1);
}

/** Hints with the same key follow each other. */
function getHintKey(event: HintEvent): string {
  if (event.type === 'request-silent') return `${event.runId}:silent`;
  return event.type === 'tool-output' ? `${event.runId}:${event.toolCallId}` : `${event.messageId}:${event.part}`;
}

/** Both as one; null where they do not follow each other. */
function merged(last: AgentEvent | undefined, event: HintEvent): HintEvent | null {
  if (event.type === 'tool-output' || event.type === 'request-silent') return event;
  if (!last || !isHint(last) || last.type === 'tool-output' || last.type === 'request-silent') return null;
  return last.offset + last.text.length === event.offset ? { ...last, text: last.text + event.text } : null;
}
