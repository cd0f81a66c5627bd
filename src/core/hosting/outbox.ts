/** What waits to be sent to one subscriber: hints are merged for a frame, durable events take along what came before. */
import type { AgentEvent, HintEvent } from '#contract/event.ts';

const FRAME_MS = 16;

export interface Outbox {
  push(event: AgentEvent): void;
  /** Sends what waits, now. */
  flush(): void;
  /** Drops what waits and takes nothing more. */
  close(): void;
}

/** `congested` says that the other side is behind: then hints are dropped, because ends carry the whole text. */
export function createOutbox(send: (events: AgentEvent[]) => void, congested: () => boolean): Outbox {
  let waiting: AgentEvent[] = [];
  /** Index in `waiting` of each growing part; order between different messages does not matter to anyone. */
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
  const key = `${event.messageId}:${event.part}`;
  const index = growing.get(key);
  const last = index === undefined ? undefined : waiting[index];
  if (index !== undefined && last !== undefined && isHint(last) && last.offset + last.text.length === event.offset) {
    waiting[index] = { ...last, text: last.text + event.text };
    return;
  }
  growing.set(key, waiting.push(event) - 1);
}
