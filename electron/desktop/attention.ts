/** Questions reach a person who looks elsewhere: a count in dock or taskbar, a notification, a flashing window. */
import { app, BrowserWindow, Notification } from 'electron';
import type { Client } from '#contract/rpc.ts';
import type { ApprovalRequest } from '#contract/approval.ts';
import { spawnItems } from '#contract/spawn-items.ts';
import type { Attention as AttentionState } from '#contract/view.ts';
import { visibleText } from '#contract/visible-text.ts';
import { text } from '../text.ts';

export class Attention {
  readonly #onClick: () => void;
  /** Of the questions that are open; null where no notification was needed. */
  readonly #shown = new Map<string, Notification | null>();

  constructor(onClick: () => void) {
    this.#onClick = onClick;
  }

  /** Follows a runtime until it goes; this alone is nobody who could answer. */
  async follow(client: Client): Promise<void> {
    await client.subscribe('attention', { canAnswer: false }, (state) => this.#receive(state));
  }

  #receive({ questions }: AttentionState): void {
    app.setBadgeCount(questions.length);
    const open = new Set(questions.map(({ request }) => request.id));
    for (const [id, notification] of this.#shown) {
      if (open.has(id)) continue;
      notification?.close();
      this.#shown.delete(id);
    }
    for (const { request } of questions) {
      if (this.#shown.has(request.id)) continue;
      const looking = BrowserWindow.getFocusedWindow() !== null;
      this.#shown.set(request.id, looking ? null : this.#call(agentsOf(request), request.title));
    }
  }

  #call(agents: string, title: string): Notification | null {
    for (const window of BrowserWindow.getAllWindows()) window.flashFrame(true);
    if (!Notification.isSupported()) return null;
    const notification = new Notification({ title: visibleText(text.question(agents)), body: visibleText(title) });
    notification.on('click', this.#onClick);
    notification.show();
    return notification;
  }
}

/** The names of the sub-agents that would start, or of the agent that asks for anything else. */
function agentsOf({ agent, subject }: ApprovalRequest): string {
  const proposed = spawnItems(subject).map(({ envelope }) => envelope.agent);
  return proposed.length === 0 ? agent : proposed.join(', ');
}
