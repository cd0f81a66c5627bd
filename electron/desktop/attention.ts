/** Questions reach a person who looks elsewhere: a count in dock or taskbar, a notification, a flashing window. */
import { app, BrowserWindow, Notification } from 'electron';
import { askingAgents } from '#contract/attention/asking-agents.ts';
import type { LedPlace } from '#contract/attention/led-place.ts';
import { Caller } from '#contract/attention/caller.ts';
import type { Signals } from '#contract/attention/signals.ts';
import { waitingCount } from '#contract/attention/waiting-count.ts';
import type { Attention as AttentionState } from '#contract/view.ts';
import { visibleText } from '#contract/visible-text.ts';
import { text } from '../text.ts';
import type { Presence } from './presence.ts';

/** Calls are due by the minute. */
const CHECK_MS = 2000;

interface Call {
  title: string;
  body: string;
  to: LedPlace;
}

export class Attention {
  readonly #onClick: (to: LedPlace) => void;
  readonly #caller: Caller;
  /** What is shown, by question. */
  readonly #shown = new Map<string, Notification>();
  #timer: NodeJS.Timeout | null = null;

  /** `onClick`: of a notification, with what it is about; it answers nothing. */
  constructor(presence: Pick<Presence, 'isHere'>, onClick: (to: LedPlace) => void) {
    this.#onClick = onClick;
    this.#caller = new Caller({
      now: Date.now,
      isHere: (awaySeconds) => presence.isHere(awaySeconds),
      leads: () => true,
      blocked: (requests, signals) => {
        for (const window of BrowserWindow.getAllWindows()) window.flashFrame(true);
        for (const request of requests) {
          const { id: approvalId, conversationId } = request;
          const [title, body] = [text().question(askingAgents(request)), text().asked(request)];
          this.#call(approvalId, { title, body, to: { conversationId, approvalId } }, signals);
        }
      },
      done: (ended, signals) => {
        if (signals.notifications !== 'all') return;
        for (const { workflowId, conversationId, title: body } of ended)
          this.#call(workflowId, { title: text().done, body, to: { conversationId, approvalId: null } }, signals);
      },
      settled: (approvalIds) => {
        for (const id of approvalIds) this.#close(id);
      },
    });
  }

  /** Null: the runtime has gone, and what was shown stays. */
  receive(state: AttentionState | null): void {
    if (state === null) return;
    app.setBadgeCount(waitingCount(state));
    this.#caller.receive(state);
    const isWaiting = state.questions.length > 0;
    if (isWaiting) this.#timer ??= setInterval(() => this.#caller.check(), CHECK_MS).unref();
    else if (this.#timer) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  #call(key: string, { title, body, to }: Call, { notifications }: Signals): void {
    if (notifications === 'off' || !Notification.isSupported()) return;
    // One at a time for each: a second one says the same.
    this.#close(key);
    const notification = new Notification({
      title: visibleText(title),
      body: visibleText(body),
      actions: [{ type: 'button', text: text().open }],
    });
    for (const press of ['click', 'action'] as const) notification.on(press as 'click', () => this.#onClick(to));
    notification.on('close', () => {
      // The system may say so when the next one is there.
      if (this.#shown.get(key) === notification) this.#shown.delete(key);
    });
    notification.show();
    this.#shown.set(key, notification);
  }

  #close(key: string): void {
    this.#shown.get(key)?.close();
    this.#shown.delete(key);
  }
}
