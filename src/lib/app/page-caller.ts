/** Calls the person who is away from a page: by sounds, and by notifications of the browser where nothing else shows them. */
import { askingAgents } from '#contract/attention/asking-agents.ts';
import type { LedPlace } from '#contract/attention/led-place.ts';
import { Caller, type CallerPorts } from '#contract/attention/caller.ts';
import type { Note } from '#lib/ui/system-notification.ts';
import type { Tone } from '#lib/ui/tones.ts';
import { text } from '#lib/words/text.ts';

export interface PagePorts extends Pick<CallerPorts, 'now' | 'isHere' | 'leads'> {
  play: (tone: Tone, volume: number) => void;
  /** As `notify`; null where another part of the program shows them. */
  notify: ((note: Note) => (() => void) | null) | null;
  /** The person wants to see the conversation, and the question in it where there is one. */
  lead: (to: LedPlace) => void;
}

export class PageCaller extends Caller {
  /** How the notifications that are shown are taken away, by question. */
  readonly #shown: Map<string, () => void>;

  constructor({ play, notify, lead, ...when }: PagePorts) {
    const shown = new Map<string, () => void>();
    super({
      ...when,
      blocked: (requests, { soundBlocked, volume, notifications }) => {
        if (soundBlocked) play('blocked', volume);
        if (notifications === 'off') return;
        for (const request of requests) {
          const { id: key, conversationId } = request;
          const body = text.said.title(request);
          const title = text.attention.question(askingAgents(request));
          const close = notify?.({ key, title, body, onPress: () => lead({ conversationId, approvalId: key }) });
          if (close) shown.set(key, close);
        }
      },
      done: (ended, { soundDone, volume, notifications }) => {
        if (soundDone) play('done', volume);
        if (notifications !== 'all') return;
        for (const { workflowId: key, conversationId, title: body } of ended)
          notify?.({
            key,
            title: text.attention.done,
            body,
            onPress: () => lead({ conversationId, approvalId: null }),
          });
      },
      settled: (approvalIds) => {
        for (const id of approvalIds) {
          shown.get(id)?.();
          shown.delete(id);
        }
      },
    });
    this.#shown = shown;
  }

  /** Takes away what is shown. */
  close(): void {
    for (const close of this.#shown.values()) close();
    this.#shown.clear();
  }
}
