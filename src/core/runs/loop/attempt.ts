/** One attempt at a response: what it received so far, told as it comes, and acted upon where a call is complete. */
import type { AssistantEntry, Bound, Entry, Part, StopReason } from '#contract/message.ts';
import { isSearchDone } from '#contract/web-search.ts';
import { newId } from '#core/base/ids.ts';
import type { Run } from '../run.ts';
import type { RunPlan } from '../run-plan.ts';
import type { ModelEvent } from '#core/model/model.ts';
import { callsBegun, interruptedParts } from '#core/store/log/open-messages.ts';
import { type Emit, type Recorded, waitUntilStored } from '#core/store/log/recorder.ts';
import { callsOf } from '#core/store/log/transcript.ts';
import { type About as Metered, RequestMeter, recordMiscount } from './request-meter.ts';
import { normalizeCall } from '#core/tools/arguments.ts';
import type { Calls } from './tool-calls.ts';

export interface Turn {
  turn: number;
  /** The bound that the run is at: it is given no more tools. */
  told: Bound | null;
  calls: Calls;
  emit: Emit;
}

type About = Pick<Metered, 'attempt' | 'inputEstimate'>;

/** What is said of a response that did not come whole. */
type Lost = Partial<Pick<AssistantEntry, 'interrupted' | 'cut'>>;
/** And of one that did. */
type Whole = Pick<AssistantEntry, 'request'>;

export class Attempt {
  readonly #run: Run;
  readonly #turn: Turn;
  readonly #meter: RequestMeter;
  readonly #start: Promise<Recorded>;
  readonly #messageId = newId();
  readonly #parts: Part[] = [];
  readonly #callIds = new Map<number, string>();
  #responseId: string | null = null;
  #begun = false;
  /** The message in the history, from the first part on that was recorded before its end. */
  #entry: AssistantEntry | null = null;
  #acting: NodeJS.Immediate | undefined;

  /** Records the start of the request. */
  constructor(run: Run, turn: Turn, about: About) {
    this.#run = run;
    this.#turn = turn;
    this.#meter = new RequestMeter(run, { turn: turn.turn, ...about });
    this.#start = this.#recordStart();
  }

  #recordStart(): Promise<Recorded> {
    const { turn, emit } = this.#turn;
    return emit({ type: 'request-start', turn, request: this.#meter.start() });
  }

  /**
   * Resolves when the request may be sent: its start, and all events before it, are durable. Every request that a
   * provider received is therefore counted after a crash. A stopped run does not wait. Rejects with `store_failed`.
   */
  async ready(): Promise<void> {
    if (await waitUntilStored(this.#start, this.#run)) this.#meter.sent();
  }

  /** Whether anything was done because of the response, so that it must not be asked for again. */
  get final(): boolean {
    return this.#entry !== null;
  }

  /** Whether the provider has answered, so that it counts what it read. */
  get answered(): boolean {
    return this.#begun;
  }

  /** True if the response has no text and no call. */
  get isEmpty(): boolean {
    return (
      this.#entry === null && this.#parts.every((part) => part.type === 'thinking' || part.type === 'redacted_thinking')
    );
  }

  /** Records an empty response as an interrupted message, with what it cost. Resolves when it is counted. */
  endEmpty(stopReason: StopReason): Promise<unknown> {
    const counted = this.#turn.emit({ type: 'usage', request: this.#meter.end(stopReason, null) });
    if (this.#begun) this.#end(this.#parts, stopReason, { interrupted: true });
    return counted;
  }

  /** What it returns must be awaited before the next event: a message's start comes before its words. */
  take(event: ModelEvent): Promise<unknown> | undefined {
    this.#meter.take(event);
    switch (event.type) {
      case 'start':
        this.#responseId = event.responseId;
        return;
      case 'usage':
        return this.#begin();
      case 'miscount':
        recordMiscount(this.#run, event.count, this.#turn.emit);
        return this.#begin();
      case 'delta':
        return this.#begin()?.then(() => this.#hint(event)) ?? this.#hint(event);
      case 'part':
        return this.#complete(event.part, event.value);
      case 'end':
        void this.#begin();
        void this.#turn.emit({ type: 'usage', request: this.#meter.end(event.stopReason, null) });
        return this.#end(this.#parts, event.stopReason, { request: { id: this.#meter.requestId } });
    }
  }

  /**
   * The attempt did not come whole, and what it cost is counted. A final response ends with its complete parts, of the
   * calls those that were acted upon; any other is kept as an interrupted message. Resolves when it is counted.
   */
  fail(error: Error): Promise<unknown> {
    const counted = this.#turn.emit({ type: 'usage', request: this.#meter.end(null, error) });
    if (this.#entry) {
      const { length } = this.#entry.parts;
      const rest = this.#parts.slice(length).filter(({ type }) => type !== 'tool_use');
      const begun = this.#run.recorder
        .streamed(this.#messageId)
        .filter((_, part) => part >= length && !this.#isServer(part));
      const cut = { calls: callsBegun(begun) };
      this.#end([...this.#entry.parts, ...rest], 'tool_use', { cut });
    } else if (this.#begun) {
      this.#end(interruptedParts(this.#run.recorder.streamed(this.#messageId), this.#parts), null, {
        interrupted: true,
      });
    }
    return counted;
  }

  /** What the provider has done itself is not lost. */
  #isServer(part: number): boolean {
    return this.#parts[part]?.type === 'server';
  }

  /** Nothing more will come of it. */
  leave(): void {
    clearImmediate(this.#acting);
  }

  /** The provider answers, and has told what it read; providers that do not are believed to have read nothing. */
  #begin(): Promise<unknown> | undefined {
    if (this.#begun) return;
    this.#begun = true;
    const { turn, emit } = this.#turn;
    return emit({ type: 'message-start', messageId: this.#messageId, turn, request: this.#meter.start() });
  }

  #hint({ part, kind, text, ...call }: Extract<ModelEvent, { type: 'delta' }>): undefined {
    const { toolCallId, name } = 'name' in call ? call : { toolCallId: null, name: null };
    const id = toolCallId === null ? null : this.#callId(part, toolCallId);
    this.#run.recorder.hint({ messageId: this.#messageId, part, kind, text, toolCallId: id, name });
  }

  #complete(part: number, value: Part): Promise<unknown> | undefined {
    this.#parts[part] =
      value.type === 'tool_use'
        ? normalizeCall(this.#run.tools.all, { ...value, id: this.#callId(part, value.id) })
        : value;
    // What has come whole at the end of this turn of the program needs no acting ahead of its end.
    if (isCall(value) && this.#run.requests.startsCallsEarly && !this.#turn.told)
      this.#acting ??= setImmediate(() => this.#act());
    const begun = this.#begin();
    // What it costs is owed also where nothing more of the response comes.
    if (value.type === 'server' && isSearchDone(value.block)) void this.#recordStart();
    return begun;
  }

  /** Records what is complete up to the newest call, and sets the calls in it going. */
  #act(): void {
    this.#acting = undefined;
    if (this.#run.signal.aborted) return;
    const { turn, emit, calls } = this.#turn;
    const entry = (this.#entry ??= this.#run.history.add(this.#draft([], null)));
    const { n } = entry;
    const message = { messageId: this.#messageId, n, turn, responseId: this.#responseId };
    const end = this.#parts.findLastIndex(isCall) + 1;
    for (const [part, value] of this.#parts.entries()) {
      if (part < entry.parts.length || part >= end) continue;
      entry.parts.push(value);
      const recorded = emit({ type: 'message-part', ...message, part, value });
      if (value.type === 'tool_use') calls.add(value, recorded);
    }
  }

  /** The whole message; the calls of it that were not acted upon yet are now. */
  #end(parts: Part[], stopReason: StopReason | null, how: Lost & Whole = {}): undefined {
    clearImmediate(this.#acting);
    const { emit, calls } = this.#turn;
    const before = this.#entry?.parts.length ?? 0;
    const draft = this.#draft(parts, stopReason, how);
    const entry = this.#entry ? Object.assign(this.#entry, draft) : this.#run.history.add(draft);
    const recorded = emit({ type: 'message-end', entry });
    if (how.interrupted) return;
    for (const part of parts.slice(before)) if (part.type === 'tool_use') calls.add(part, recorded);
  }

  #draft(parts: Part[], stopReason: StopReason | null, how: Lost & Whole = {}) {
    const ids = { messageId: this.#messageId, responseId: this.#responseId };
    return { kind: 'assistant' as const, ...ids, parts, stopReason, interrupted: false, ...how };
  }

  /**
   * The model's id of a call, made unique within the conversation and legal: endpoints exist that number calls anew
   * in each response, or use characters that others refuse to read back.
   */
  #callId(part: number, given: string): string {
    const known = this.#callIds.get(part);
    if (known !== undefined) return known;
    const earlier = earlierCallIds(this.#run.plan);
    const taken = new Set([...this.#callIds.values(), ...callIdsIn(this.#run.history.entries)]);
    const legal = given.replace(/[^\w-]/g, '_') || 'call';
    let id = legal;
    for (let suffix = 2; taken.has(id) || earlier.has(id); suffix += 1) id = `${legal}_${suffix}`;
    this.#callIds.set(part, id);
    return id;
  }
}

function callIdsIn(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => (entry.kind === 'assistant' ? callsOf(entry).map(({ id }) => id) : []));
}

/** Ids of the calls of earlier workflows, by the list of them: it stays the same while a run works. */
const earlierIds = new WeakMap<RunPlan['prior'], ReadonlySet<string>>();

function earlierCallIds({ prior }: Pick<RunPlan, 'prior'>): ReadonlySet<string> {
  const known = earlierIds.get(prior);
  if (known) return known;
  const ids = new Set(prior.flatMap(({ history }) => callIdsIn(history.entries)));
  earlierIds.set(prior, ids);
  return ids;
}

/** A call that can be acted upon: its arguments came whole. */
function isCall(part: Part): boolean {
  return part.type === 'tool_use' && part.malformed === undefined;
}
