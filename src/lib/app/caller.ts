/**
 * Calls the person who is away, by sound and notification: when something waits, again until it is answered, and when a
 * workflow has ended. Every window keeps the count, so that another can go on with it; the lead alone is heard.
 */
import type { ApprovalRequest } from '#contract/approval.ts';
import { Calls } from '#contract/attention/calls.ts';
import { isQuiet } from '#contract/attention/quiet-hours.ts';
import { DEFAULT_SIGNALS, type Signals } from '#contract/attention/signals.ts';
import { spawnItems } from '#contract/spawn-items.ts';
import type { Attention } from '#contract/view.ts';
import type { Note } from '#lib/ui/system-notification.ts';
import type { Tone } from '#lib/ui/tones.ts';
import { text } from '#lib/words/text.ts';

export interface CallerPorts {
  /** Epoch milliseconds. */
  now: () => number;
  /** Whether the person used the app within so many seconds. */
  isHere: (awaySeconds: number) => boolean;
  /** Whether this window is the one that calls. */
  leads: () => boolean;
  play: (tone: Tone, volume: number) => void;
  /** As `notify`; null where another part of the program shows them. */
  notify: ((note: Note) => (() => void) | null) | null;
  /** The person wants to see the question, or the conversation of a workflow. */
  lead: (to: { approvalId: string } | { conversationId: string }) => void;
}

type Running = Attention['running'][number];

export class Caller {
  readonly #ports: CallerPorts;
  readonly #calls = new Calls();
  #state: Attention | null = null;
  /** How the notifications that are shown are taken away, by question. */
  readonly #shown = new Map<string, () => void>();

  constructor(ports: CallerPorts) {
    this.#ports = ports;
  }

  receive(state: Attention): void {
    const before = this.#state?.running ?? [];
    this.#state = state;
    const open = new Set(state.questions.map(({ request }) => request.id));
    for (const [id, close] of this.#shown) {
      if (open.has(id)) continue;
      close();
      this.#shown.delete(id);
    }
    this.check();
    const lives = new Set([...state.running, ...(state.interrupted ?? [])].map(({ workflowId }) => workflowId));
    const ended = before.filter(({ workflowId }) => !lives.has(workflowId));
    if (ended.length > 0) this.#done(ended);
  }

  /** To be called now and then while something waits: calls are due by the clock. */
  check(): void {
    const { questions, signals = DEFAULT_SIGNALS } = this.#state ?? { questions: [] };
    const { now } = this.#ports;
    const waiting = questions.map(({ request }) => ({ key: request.id, at: Date.parse(request.at) }));
    const silent = this.#isSilent(signals);
    const due = new Set(this.#calls.due(waiting, { now: now(), repeats: signals.repeats, silent }));
    if (due.size === 0 || !this.#ports.leads()) return;
    if (signals.soundBlocked) this.#ports.play('blocked', signals.volume);
    if (signals.notifications === 'off') return;
    for (const { request } of questions) if (due.has(request.id)) this.#show(request);
  }

  /** Takes away what is shown. */
  close(): void {
    for (const close of this.#shown.values()) close();
    this.#shown.clear();
  }

  #isSilent(signals: Signals): boolean {
    return this.#ports.isHere(signals.awaySeconds) || isQuiet(signals, new Date(this.#ports.now()));
  }

  #show(request: ApprovalRequest): void {
    const { id: approvalId, title: body } = request;
    const onPress = (): void => this.#ports.lead({ approvalId });
    const title = text.attention.question(agentsOf(request));
    const close = this.#ports.notify?.({ key: approvalId, title, body, onPress });
    if (close) this.#shown.set(approvalId, close);
  }

  #done(ended: readonly Running[]): void {
    const { signals = DEFAULT_SIGNALS } = this.#state ?? {};
    if (this.#isSilent(signals) || !this.#ports.leads()) return;
    if (signals.soundDone) this.#ports.play('done', signals.volume);
    if (signals.notifications !== 'all') return;
    for (const { workflowId: key, conversationId, title: body } of ended) {
      const onPress = (): void => this.#ports.lead({ conversationId });
      this.#ports.notify?.({ key, title: text.attention.done, body, onPress });
    }
  }
}

/** The names of the sub-agents that would start, or of the agent that asks for anything else. */
function agentsOf({ agent, subject }: ApprovalRequest): string {
  const proposed = spawnItems(subject).map(({ envelope }) => envelope.agent);
  return proposed.length === 0 ? agent : proposed.join(', ');
}
