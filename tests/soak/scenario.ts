/** Plays one plan against the hosts, as a person with two windows would, until nothing of it is left to happen. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Approval } from '#contract/approval.ts';
import type { WorkflowRow } from '#contract/view.ts';
import type { Cluster } from './cluster.ts';
import { leadMark, type MessagePlan, type Plan, reactionTo } from './plan.ts';
import { codeOf, Window } from './window.ts';

const PATIENCE_MS = 90_000;
const PAUSE_MS = 40;
const MOST_RESUMES = 4;

export interface Played {
  plan: Plan;
  conversationId: string;
  workflowIds: string[];
  /** Two windows that were there all the time, and one that is opened at the end. */
  windows: [Window, Window, Window];
}

class Stuck extends Error {}

export class Scenario {
  readonly #cluster: Cluster;
  readonly #plan: Plan;
  readonly #deadline = Date.now() + PATIENCE_MS;
  readonly #windows: [Window, Window];
  readonly #answered = new Set<string>();
  #conversationId = '';
  #questions = 0;
  /** Under way: one that comes late resumes an interrupted workflow. */
  #answering = 0;

  constructor(cluster: Cluster, plan: Plan) {
    this.#cluster = cluster;
    this.#plan = plan;
    const open = (place: 0 | 1) => new Window(cluster.window(place), () => this.#answer());
    this.#windows = [open(0), open(1)];
  }

  async play(): Promise<Played> {
    const [first, second] = this.#windows;
    ({ id: this.#conversationId } = await this.#windows[0].ask('conversation.create', {
      folder: this.#cluster.workspace,
    }));
    first.show(this.#conversationId);
    second.show(this.#conversationId);
    const workflowIds: string[] = [];
    for (const [index, message] of this.#plan.messages.entries()) {
      const workflowId = await this.#send(index, message);
      workflowIds.push(workflowId);
      const trouble = this.#trouble(workflowId, message);
      // Awaited below; what goes wrong with it must not end the others meanwhile.
      trouble.catch(() => undefined);
      await this.#settle(workflowId, message);
      await trouble;
      await this.#settle(workflowId, message);
    }
    const last = new Window(this.#cluster.window(0), () => undefined);
    last.show(this.#conversationId);
    return {
      plan: this.#plan,
      conversationId: this.#conversationId,
      workflowIds,
      windows: [first, second, last],
    };
  }

  close(): void {
    for (const window of this.#windows) window.close();
  }

  async #pause(what: string): Promise<void> {
    if (Date.now() > this.#deadline) throw new Stuck(`${what}\n${await this.#state()}`);
    await sleep(PAUSE_MS);
  }

  /** Where everything stands, for the one who looks for the reason. */
  async #state(): Promise<string> {
    const events = await this.#windows[0]
      .ask('conversation.events', { conversationId: this.#conversationId, after: 0 })
      .catch(() => []);
    const open = this.#windows.map(
      ({ questions, connection }) => `${connection.status}, ${questions.length} questions`,
    );
    const lines = events.map(
      (event) =>
        `  ${event.seq} ${event.at} ${event.agent} ${event.type} ${event.type === 'run-end' || event.type === 'workflow-end' ? event.outcome : ''}`,
    );
    return [...open, ...lines.slice(-30)].join('\n');
  }

  /** A message whose acceptance was not heard of is looked for before it is sent again. */
  async #send(index: number, { text }: MessagePlan): Promise<string> {
    const mark = leadMark(this.#plan.seed, index);
    const conversationId = this.#conversationId;
    for (;;) {
      try {
        const sent = await this.#windows[0].connection.request('message.send', { conversationId, text });
        return sent.workflowId;
      } catch (error) {
        if (codeOf(error) !== 'disconnected' && codeOf(error) !== 'interrupted') throw error;
        await this.#pause('the message is not accepted');
        const { workflows } = await this.#windows[0].ask('conversation.snapshot', { conversationId });
        const known = workflows.find(({ prompt }) => prompt.includes(mark));
        if (known) return known.id;
      }
    }
  }

  /** Until it has ended for good; one that is interrupted is resumed, or left so. */
  async #settle(workflowId: string, { resumes }: MessagePlan): Promise<WorkflowRow> {
    for (let resumed = 0; ;) {
      const answered = this.#answering === 0;
      const { workflow } = await this.#windows[0].ask('workflow.get', { workflowId });
      const { status, outcome } = workflow;
      const ended = answered && outcome !== null && status !== 'pending' && status !== 'running';
      if (ended && (outcome !== 'interrupted' || !resumes || resumed >= MOST_RESUMES)) return workflow;
      if (ended) {
        resumed += 1;
        await this.#windows[0].ask('workflow.resume', { workflowId }).catch((error: unknown) => {
          // The other window, or the first try whose answer was lost, was faster.
          if (codeOf(error) !== 'conflict' && codeOf(error) !== 'interrupted') throw error;
        });
      }
      await this.#pause(`the workflow is ${status}/${String(outcome)}`);
    }
  }

  async #trouble(workflowId: string, plan: MessagePlan): Promise<void> {
    await Promise.all([this.#stop(workflowId, plan), this.#reload(plan), this.#kill(plan)]);
  }

  async #stop(workflowId: string, { stopAfterMs, stopsRun }: MessagePlan): Promise<void> {
    if (stopAfterMs === null) return;
    await sleep(stopAfterMs);
    try {
      const { runs } = await this.#windows[0].ask('workflow.get', { workflowId });
      const child = runs.find(({ parentRunId }) => parentRunId !== null);
      if (stopsRun && child) await this.#windows[0].ask('run.stop', { runId: child.id });
      else await this.#windows[0].ask('workflow.stop', { workflowId });
    } catch (error) {
      if (codeOf(error) !== 'conflict') throw error;
    }
  }

  async #reload({ reloadAfterMs }: MessagePlan): Promise<void> {
    if (reloadAfterMs === null) return;
    await sleep(reloadAfterMs);
    this.#windows[1].reload();
  }

  async #kill({ kill }: MessagePlan): Promise<void> {
    if (kill === null) return;
    await sleep(kill.afterMs);
    await this.#cluster.crash(kill.which);
  }

  #answer(): void {
    for (const window of this.#windows)
      for (const approval of window.questions)
        if (approval.request.conversationId === this.#conversationId) this.#react(approval);
  }

  #react({ request, decisions }: Approval): void {
    const fresh = decisions.flatMap((decision, item) =>
      decision === null && !this.#answered.has(`${request.id}/${item}`) ? [item] : [],
    );
    if (fresh.length === 0) return;
    const question = this.#questions++;
    for (const item of fresh) {
      const key = `${request.id}/${item}`;
      this.#answered.add(key);
      const { answer, delayMs, again } = reactionTo(this.#plan.seed, question, item);
      const value = answerOf(answer, request, item);
      const decide = async (window: Window, given: Answer) => {
        if (delayMs > 0) await sleep(delayMs);
        await window.connection.request('approval.decide', { approvalId: request.id, item, answer: given });
      };
      const [first, second] = this.#windows;
      const opposite: Answer = value.kind === 'reject' ? { kind: 'allow' } : { kind: 'reject', reason: 'no' };
      const all = [decide(first, value)];
      if (again === 'same') all.push(decide(first, value));
      if (again === 'other') all.push(decide(second, value));
      if (again === 'opposite') all.push(decide(second, opposite));
      // Where no answer arrived the question is asked again, and answered again.
      this.#answering += 1;
      Promise.allSettled(all).then(
        (results) => {
          this.#answering -= 1;
          if (results.every(({ status }) => status === 'rejected')) this.#answered.delete(key);
        },
        () => undefined,
      );
    }
  }
}

function answerOf(kind: 'allow' | 'reject' | 'edit', request: Approval['request'], item: number): Answer {
  if (kind === 'allow') return { kind };
  if (kind === 'reject') return { kind, reason: 'not today' };
  const { subject } = request;
  if (subject.kind !== 'envelopes') return { kind: 'allow' };
  const envelope = subject.items[item]?.envelope;
  return { kind: 'edit', value: { ...envelope, prompt: `${envelope?.prompt} (edited)` } };
}
