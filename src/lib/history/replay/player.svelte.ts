/** A workflow of the past that is played again from its log: what was so at any moment, and how that moment moves. */
import type { DurableEvent } from '#contract/event.ts';
import type { Client } from '#contract/rpc.ts';
import type { ConversationRow, WorkflowRow } from '#contract/view.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';
import { nextFrame, type Schedule } from '#lib/runs/frames.ts';
import type { TranscriptSource } from '#lib/runs/session.svelte.ts';
import type { View } from '#lib/view/reduce.ts';
import type { Fold, Scale } from '../timeline/scale.ts';
import type { Interval } from '../waterfall.ts';
import { Keyframes, viewBefore } from '#lib/view/replay/keyframes.ts';
import { originEvents, withOrigin } from './origin-events.ts';
import { countAt, foldsIn, paceOf, type Speed, timesOf } from './pace.ts';
import { readEvents } from './read-events.ts';
import { type Mark, marksOf, type Step, stepAfter, stepsOf } from '#lib/view/replay/steps.ts';
import { type Writings, withWritten, writingsOf } from '#lib/view/replay/writings.ts';

/** So many events are taken in before whatever else waits has its turn. */
const AT_ONCE = 200;
/** A frame that came later than this stands for no more, in milliseconds: a page that slept goes on where it was. */
const LONGEST_FRAME = 250;
const SECOND = 1000;

/** What is the same at every moment. */
interface Whole {
  keyframes: Keyframes;
  times: readonly number[];
  steps: readonly Step[];
  writings: Writings;
  span: Interval;
  folds: readonly Fold[];
  /** After all of it. */
  end: View;
}

interface Ports {
  schedule: Schedule;
  /** In milliseconds, from any beginning. */
  now: () => number;
}

const PORTS: Ports = { schedule: nextFrame, now: () => performance.now() };

export class Player implements TranscriptSource {
  conversation = $state.raw<ConversationRow | null>(null);
  /** As it is now. */
  workflow = $state.raw<WorkflowRow | null>(null);
  failure = $state.raw<RequestError | null>(null);
  /** How much was read, from 0 to 1. */
  loaded = $state(0);
  /** At this moment; null until all of it is here. */
  view = $state.raw<View | null>(null);
  /** How many events have happened at this moment. */
  count = $state(0);
  /** The moment, in milliseconds since 1970. */
  at = $state(0);
  playing = $state(false);
  speed = $state<Speed>(5);
  inTrueTime = $state(false);
  #whole = $state.raw<Whole | null>(null);
  readonly #scale: Scale = $derived(
    paceOf(this.#whole?.span ?? { from: 0, to: 1 }, this.inTrueTime ? [] : (this.#whole?.folds ?? [])),
  );
  /** The moment for whoever counts seconds. */
  readonly #second = $derived(Math.floor(this.at / SECOND) * SECOND);
  /** Index of the step at this moment. */
  readonly stepIndex = $derived(stepAfter(this.steps, this.count));
  readonly marks: Mark[] = $derived(marksOf(this.steps, this.#whole?.end.runs ?? [], (at) => this.#scale.at(at)));

  readonly workflowId: string;
  readonly #client: Pick<Client, 'request'>;
  readonly #ports: Ports;
  #cancel: (() => void) | null = null;
  #closed = false;

  constructor(client: Pick<Client, 'request'>, workflowId: string, ports: Ports = PORTS) {
    this.#client = client;
    this.workflowId = workflowId;
    this.#ports = ports;
  }

  get steps(): readonly Step[] {
    return this.#whole?.steps ?? [];
  }

  get step(): Step | null {
    return this.steps[this.stepIndex] ?? null;
  }

  /** After all of it: how each question was answered, and every run. Null until all of it is here. */
  get end(): View | null {
    return this.#whole?.end ?? null;
  }

  get events(): readonly DurableEvent[] {
    return this.#whole?.keyframes.events ?? [];
  }

  /** The time that its agents read off a clock. */
  get now(): number {
    return this.#second;
  }

  /** How long after the beginning, in milliseconds. */
  get passed(): number {
    return this.at - (this.#whole?.span.from ?? this.at);
  }

  /** The moment on the scrubber, from 0 to 1. */
  get place(): number {
    return this.#scale.at(this.at);
  }

  get folds(): readonly Fold[] {
    return this.#whole?.folds ?? [];
  }

  placeOf(at: number): number {
    return this.#scale.at(at);
  }

  /** Reads the events of this workflow; an error goes to `failure`. One that still works is not read. */
  async load(): Promise<void> {
    try {
      const {
        conversation,
        workflow,
        elsewhere = [],
      } = await this.#client.request('workflow.get', { workflowId: this.workflowId });
      this.conversation = conversation;
      this.workflow = workflow;
      this.failure = null;
      if (workflow.outcome === null) return;
      const keyframes = new Keyframes(viewBefore(conversation));
      const length = workflow.lastSeq - workflow.firstSeq + 1;
      const own: DurableEvent[] = [];
      for await (const { events, seq } of readEvents(this.#client, workflow)) {
        if (this.#closed) return;
        own.push(...events);
        this.loaded = Math.min(1, (seq - workflow.firstSeq + 1) / length);
      }
      const all = withOrigin(own, await originEvents(this.#client, elsewhere));
      for (let from = 0; from < all.length; from += AT_ONCE) {
        if (this.#closed) return;
        keyframes.add(all.slice(from, from + AT_ONCE));
        await othersTurn();
      }
      if (!this.#closed) this.#begin(keyframes);
    } catch (error) {
      this.failure = asRequestError(error);
    }
  }

  /** All entries come with the events. */
  async loadEntries(): Promise<void> {
    // Nothing is missing.
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** From the beginning again where it had come to the end. */
  play(): void {
    const whole = this.#whole;
    if (!whole || this.playing) return;
    if (this.count >= whole.times.length && this.at >= whole.span.to) this.toStep(0);
    this.playing = true;
    this.#next(this.#ports.now());
  }

  pause(): void {
    this.playing = false;
    this.#cancel?.();
    this.#cancel = null;
  }

  /** To the step with this index, or the nearest that there is. */
  toStep(index: number): void {
    const step = this.steps[Math.max(0, Math.min(this.steps.length - 1, index))];
    if (step) this.#show(step.count, step.at);
  }

  /** So many steps on, or back. */
  move(by: number): void {
    this.pause();
    this.toStep(this.stepIndex + by);
  }

  /** To the next mark, or the one before. */
  toMark(by: 1 | -1): void {
    this.pause();
    const places = this.marks.map(({ step }) => step).sort((a, b) => a - b);
    const next =
      by > 0 ? places.find((step) => step > this.stepIndex) : places.findLast((step) => step < this.stepIndex);
    this.toStep(next ?? (by > 0 ? this.steps.length - 1 : 0));
  }

  /** To a place on the scrubber, from 0 to 1. */
  toPlace(place: number): void {
    const whole = this.#whole;
    if (!whole) return;
    const at = this.#scale.moment(place);
    // Before the first event there is nothing to see.
    this.#show(Math.max(1, countAt(whole.times, at)), at);
  }

  close(): void {
    this.#closed = true;
    this.pause();
  }

  #begin(keyframes: Keyframes): void {
    const { events } = keyframes;
    const times = timesOf(events);
    const end = keyframes.at(events.length);
    const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0];
    const span = { from, to: Math.max(from + 1, to) };
    const folds = foldsIn(end, events, span);
    this.#whole = { keyframes, times, steps: stepsOf(events, times), writings: writingsOf(events), span, folds, end };
    this.toStep(0);
  }

  #next(before: number): void {
    this.#cancel = this.#ports.schedule(() => {
      const now = this.#ports.now();
      const passed = Math.min(LONGEST_FRAME, now - before) * this.speed;
      this.toPlace(this.place + passed / this.#scale.length);
      if (this.place >= 1) this.pause();
      else if (this.playing) this.#next(now);
    });
  }

  #show(count: number, at: number): void {
    const whole = this.#whole;
    if (!whole) return;
    this.count = count;
    this.at = at;
    this.view = withWritten(whole.keyframes.at(count), whole.writings, at);
  }
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
