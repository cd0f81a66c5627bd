/** The spans of one workflow, from its events in order: those that an event ends. Pure but for what it remembers. */
import type { DurableEvent } from '#contract/event.ts';
import { addTally, tallyOf, ZERO_TALLY } from '#domain/tally.ts';
import { ProjectedRows } from '#domain/projected-rows.ts';
import { spanIdOf } from '#contract/telemetry/span-ids.ts';
import { agentSpan, handoffSpan, type Mapping, promptSpan, requestSpan, toolSpan } from './adapters.ts';
import {
  type Asked,
  type Call,
  type Event,
  type Handed,
  newRun,
  newWorkflow,
  type RunState,
  type WorkflowState,
} from './run-state.ts';
import type { Span } from './span.ts';

export class WorkflowSpans {
  readonly #content: () => boolean;
  readonly #rows = new ProjectedRows(['run']);
  #state: WorkflowState | null = null;

  /** `content`: whether prompts, answers, arguments and results are told. */
  constructor(content: () => boolean) {
    this.#content = content;
  }

  /** Takes every durable event of the workflow, from its first one on. */
  take(event: DurableEvent): Span[] {
    if (event.type === 'workflow-start') this.#begin(event);
    const workflow = this.#state;
    if (!workflow) return [];
    if (isCopied(event)) return [];
    const map: Mapping = { workflow, content: this.#content() };
    if (event.type === 'workflow-end') return [promptSpan(map, event)];
    this.#rows.apply(event);
    const row = this.#rows.get('run', event.runId);
    if (!row) return [];
    if (event.type === 'run-queue') workflow.runs.set(row.id, newRun(row));
    const run = workflow.runs.get(row.id);
    if (!run) return [];
    run.row = row;
    return this.#ofRun(map, run, event);
  }

  #begin(event: Event<'workflow-start'>): void {
    const state = (this.#state ??= newWorkflow(event));
    state.attempt = event.attempt;
    state.start = Date.parse(event.at);
    state.via ??= event.via;
    state.tally = ZERO_TALLY;
    state.toolCalls = 0;
    for (const run of state.runs.values()) run.startedAt = null;
  }

  #ofRun(map: Mapping, run: RunState, event: DurableEvent): Span[] {
    switch (event.type) {
      case 'run-start':
        return begun(run, event);
      case 'message-start':
        run.requestOf.set(event.messageId, event.request.requestId);
        return [];
      case 'usage':
        return counted(map, run, event);
      case 'message-end':
        return event.entry.kind === 'assistant' ? answered(map, run, event.entry) : [];
      case 'turn-end':
        return settled(map, run, ({ attempts }) => attempts.at(-1)!.error === null);
      case 'tool-start':
        run.calls.set(event.toolCallId, callOf(run, event.toolCallId, event.name, event.input, event.at));
        return [];
      case 'tool-end':
        return [toolEnded(map, run, event)];
      case 'handoff':
        return handed(map, run, event);
      case 'run-end':
        return ended(map, run, event);
      default:
        return [];
    }
  }
}

function begun(run: RunState, { at, attempt, queuedMs }: Event<'run-start'>): [] {
  run.attempt = attempt;
  run.startedAt = Date.parse(at);
  run.queuedMs = queuedMs;
  run.tally = ZERO_TALLY;
  // What the attempt before left open goes on in this one.
  for (const call of run.calls.values())
    if (call.isOpen) run.calls.set(call.id, { ...callOf(run, call.id, call.name, call.input, at) });
  run.handoffs.push(...run.handoffs.splice(0).map((one) => (one.isOpen ? handedOf(run, one.entry, at) : one)));
  return [];
}

function callOf(run: RunState, id: string, name: string, input: unknown, at: string): Call {
  const { workflowId, id: runId } = run.row;
  const spanId = spanIdOf(workflowId, ['tool', runId, id, run.attempt]);
  return { id, name, input, start: Date.parse(at), spanId, isOpen: true };
}

function handedOf(run: RunState, entry: Handed['entry'], at: string): Handed {
  const { workflowId, id: runId } = run.row;
  const spanId = spanIdOf(workflowId, ['handoff', runId, entry.answer, run.attempt]);
  return { entry, start: Date.parse(at), spanId, isOpen: true };
}

/** Its usage is told; it may be tried again, or its message may still come. */
function counted(map: Mapping, run: RunState, { request }: Event<'usage'>): Span[] {
  const used = tallyOf(request);
  run.tally = addTally(run.tally, used);
  map.workflow.tally = addTally(map.workflow.tally, used);
  const key = request.purpose ?? '';
  const before = run.asked.get(key);
  const isAgain = before !== undefined && request.attempt > 1 && before.attempts.at(-1)!.attempt < request.attempt;
  const spans = before === undefined || isAgain ? [] : settled(map, run, (one) => one === before);
  if (isAgain) before.attempts.push(request);
  else run.asked.set(key, { attempts: [request], answer: null });
  // A side request brings no message.
  const isWhole = request.purpose !== undefined && request.error === null;
  return isWhole ? [...spans, ...settled(map, run, ({ attempts }) => attempts.at(-1) === request)] : spans;
}

function answered(map: Mapping, run: RunState, entry: Parameters<typeof withAnswer>[1]): Span[] {
  const requestId = run.requestOf.get(entry.messageId);
  if (requestId === undefined) return [];
  run.requestOf.delete(entry.messageId);
  const one = [...run.asked.values()].find(({ attempts }) => attempts.at(-1)!.requestId === requestId);
  if (!one) return [];
  withAnswer(one, entry);
  // A failed one may be tried again.
  return one.attempts.at(-1)!.error === null ? settled(map, run, (asked) => asked === one) : [];
}

function withAnswer(one: Asked, entry: NonNullable<Asked['answer']>): void {
  one.answer = entry;
}

/** The requests that nothing is added to any more. */
function settled(map: Mapping, run: RunState, which: (asked: Asked) => boolean): Span[] {
  return [...run.asked].flatMap(([key, asked]) => {
    if (!which(asked)) return [];
    run.asked.delete(key);
    return [requestSpan(map, run, asked)];
  });
}

function toolEnded(map: Mapping, run: RunState, event: Event<'tool-end'>): Span {
  const { toolCallId, name } = event.entry;
  const call = run.calls.get(toolCallId) ?? callOf(run, toolCallId, name, undefined, event.at);
  run.calls.set(toolCallId, { ...call, isOpen: false, input: undefined });
  map.workflow.toolCalls += 1;
  return toolSpan(map, run, call, event);
}

function handed(map: Mapping, run: RunState, { at, entry }: Event<'handoff'>): Span[] {
  if (!entry.back) {
    run.handoffs.push(handedOf(run, entry, at));
    return [];
  }
  const open = run.handoffs.find((one) => one.isOpen && one.entry.answer === entry.answer);
  if (!open) return [];
  open.isOpen = false;
  return [handoffSpan(map, run, open, { at, back: entry.back })];
}

/** The end of a run ends what is open in it: it was cut, or is of no use any more. */
function ended(map: Mapping, run: RunState, event: Event<'run-end'>): Span[] {
  const { at, outcome } = event;
  // It was to go on, and was ended before it did.
  if (run.hasEnded && run.startedAt === null) run.attempt += 1;
  const calls = [...run.calls.values()].filter(({ isOpen }) => isOpen);
  const open = run.handoffs.filter(({ isOpen }) => isOpen);
  const spans = [
    ...settled(map, run, () => true),
    ...calls.map((call) => toolSpan(map, run, call, { at, outcome })),
    ...open.map((one) => handoffSpan(map, run, one, { at, outcome })),
    agentSpan(map, run, event),
  ];
  run.startedAt = null;
  run.hasEnded = true;
  return spans;
}

/** It was told when it was done, in the conversation that this one was forked from. */
function isCopied(event: DurableEvent): boolean {
  if ('copiedFrom' in event) return event.copiedFrom !== undefined;
  return 'entry' in event && event.entry.copiedFrom !== undefined;
}
