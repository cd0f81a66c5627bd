/** The calls of one response: checked in request order, asked together, run, and every one of them answered. */
import type { Approval } from '#contract/approval.ts';
import { DEPTH_REFUSAL } from '#contract/limits.ts';
import type { ToolEntry, ToolUsePart } from '#contract/message.ts';
import { withEditNote } from '#contract/messages/edit-note.ts';
import { isSpawn } from '#contract/spawn-items.ts';
import { AsyncQueue } from '../base/async-queue.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { doomLoopThresholdOf } from '../budget/limits.ts';
import { repeatsOf } from '../log/transcript.ts';
import type { RunContext } from './run-context.ts';
import { type Emit, type Payload, type Recorded, waitUntilStored } from '../log/recorder.ts';
import { orStopped, stopOf } from '../base/stop.ts';
import { changedMetadata, formatUnknownOutcome } from '../tools/changed-files.ts';
import { editWords } from '../tools/edit-words.ts';
import { decisionWords } from './decision-words.ts';
import { takeResult } from './taken.ts';
import { parseArguments } from '../tools/arguments.ts';
import { redactResult, refused } from '../tools/to-tool-result.ts';
import type { Tool, ToolResult } from '../tools/tool.ts';

/** A call that may go on to its question and execution, or the answer that it gets instead. */
type Prepared =
  | { call: ToolUsePart; refusal: string }
  /** It was done where this was forked from. */
  | { call: ToolUsePart; known: ToolEntry }
  | { call: ToolUsePart; tool: Tool; input: unknown; answered: Promise<Approval | null>; idle?: string };

/**
 * Lets `work` tell events and set calls going, all side by side, and yields what they tell in order. Ends, also where
 * `work` failed, when every call has its result, with what `work` made. `refusal`: what every call is answered with instead of being run.
 */
export async function* inFlight<T>(
  run: RunContext,
  refusal: string | null,
  work: (calls: Calls, emit: Emit) => Promise<T>,
): AsyncGenerator<Payload, T, Recorded> {
  const queue = new AsyncQueue<Payload, Recorded>();
  const emit: Emit = (payload) => queue.push(payload);
  const calls = new Calls(run, refusal, emit);
  const done = work(calls, emit)
    // oxlint-disable-next-line @typescript-eslint/no-misused-promises -- `finally` waits for it
    .finally(() => run.compactions.during(emit, calls.finish()))
    .finally(() => queue.close());
  // Awaited below, when everything that was told is dealt with.
  done.catch(() => undefined);
  yield* queue.drain();
  return done;
}

/** Calls on their way: prepared one after the other in the order in which they are added, whenever that is. */
export class Calls {
  readonly #run: RunContext;
  readonly #refusal: string | null;
  readonly #emit: Emit;
  readonly #settled: Promise<void>[] = [];
  // Bare chains rather than queues: a failure stops what is behind it, and a queue's own steps would let a sub-agent start
  // before the next one is asked for.
  /** Slots are taken, and questions asked, in the order of the calls. */
  #prepared: Promise<unknown> = Promise.resolve();
  /** The last of those that run one by one. */
  #sequential: Promise<unknown> = Promise.resolve();

  constructor(run: RunContext, refusal: string | null, emit: Emit) {
    this.#run = run;
    this.#refusal = refusal;
    this.#emit = emit;
  }

  /** `recorded`: the call stands in the log, so that what is done because of it comes after it. */
  add(call: ToolUsePart, recorded?: Promise<unknown>): void {
    const prepared = Promise.all([this.#prepared, recorded]).then(() =>
      this.#refusal === null ? prepare(this.#run, call) : { call, refusal: this.#refusal },
    );
    this.#prepared = prepared;
    const settled = this.#settle(prepared);
    settled.catch(() => undefined);
    this.#settled.push(settled);
  }

  /** Resolves when every call has its result; rejects, also only then, when the program is interrupted. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#settled);
    await Promise.all(this.#settled);
  }

  async #settle(preparing: Promise<Prepared>): Promise<void> {
    const prepared = await preparing;
    const work = (): Promise<void> => settle(this.#run, prepared, this.#emit);
    if (!('tool' in prepared) || prepared.tool.order === 'concurrent') return work();
    const done = this.#sequential.then(work);
    this.#sequential = done;
    return done;
  }
}

async function prepare(run: RunContext, call: ToolUsePart): Promise<Prepared> {
  const tool = run.tools.find(({ name }) => name === call.name);
  if (!tool) return { call, refusal: unknownTool(run, call.name) };
  const parsed = parseArguments(tool, call);
  if ('refusal' in parsed) return { call, refusal: parsed.refusal };
  const { input } = parsed;
  const known = tool.startsAgents ? null : await run.steps?.result(call.id);
  if (known) {
    if (tool.ownState) await tool.execute(input, await run.toolContext(call.id, tool), null);
    return { call, known };
  }
  // What may have been done is not asked about again.
  if (run.signal.aborted || isCutOff(run, call, tool)) return { call, tool, input, answered: Promise.resolve(null) };
  try {
    await run.checkFolder(call.id, tool);
    const asked = await ask(run, call, tool, input);
    const result = run.steps?.startsNothing(call.id) ? await run.steps.result(call.id) : null;
    return result ? { call, known: result } : { call, tool, input, ...asked };
  } catch (error) {
    if (!(error instanceof TriadError) || error.code === 'interrupted' || error.code === 'store_failed') throw error;
    return { call, refusal: error.message };
  }
}

/** Resolves as soon as the question is known; `answered` resolves with its answer, or with null where none is needed. */
async function ask(
  run: RunContext,
  call: ToolUsePart,
  tool: Tool,
  input: unknown,
): Promise<{ answered: Promise<Approval | null>; idle?: string }> {
  const parsed = { id: call.id, tool, input };
  const before = run.stored.approvals.get(call.id);
  const question = before ? null : ((await tool.question?.(input, await run.toolContext(call.id, tool))) ?? null);
  if (run.steps?.startsNothing(call.id)) return { answered: Promise.resolve(null) };
  const asked = before ? await run.askAgain(parsed, before) : await run.ask(parsed, question);
  if (!asked)
    return { answered: Promise.resolve(null), ...(question?.idle === undefined ? {} : { idle: question.idle }) };
  const answered = asked.answered.finally(run.watchdog.hold());
  // Awaited in `settle`; until then a stop must not count as unhandled.
  answered.catch(() => undefined);
  return { answered };
}

function unknownTool(run: RunContext, name: string): string {
  if (!run.leads && run.startsAgents(name)) return DEPTH_REFUSAL;
  const meant = run.tools.find(({ knownAs }) => knownAs?.includes(name));
  return `There is no tool "${name}"${meant ? `, but ${meant.name}` : ''}. Your tools are: ${run.tools.map((tool) => tool.name).join(', ')}`;
}

async function settle(run: RunContext, prepared: Prepared, emit: Emit): Promise<void> {
  if ('known' in prepared) {
    void emit(takeResult(run.history, prepared.known));
    return;
  }
  // How long a person takes to answer is not the call's time. What became of the question is looked at in `resultOf`.
  const approval = 'answered' in prepared ? await prepared.answered.catch(() => null) : null;
  const start = performance.now();
  const tool = 'tool' in prepared ? prepared.tool : null;
  const result = await redactResult(await resultOf(run, prepared, emit), tool);
  const { call } = prepared;
  const threshold = doomLoopThresholdOf(run.envelope);
  const note =
    repeatsOf(run.history.entries, call) === threshold
      ? `\n\n[You have made this same call ${threshold} times in a row. Do something else, or give your answer: the run ends if it goes on.]`
      : '';
  const output = result.output + formatIgnored(call) + note;
  const decided = decisionWords(approval, result.output);
  const entry = run.history.add({
    kind: 'tool',
    toolCallId: call.id,
    name: call.name,
    status: result.status,
    output: tool?.bounds ? output : await run.handOn(call.id, output),
    durationMs: performance.now() - start,
    metadata: { ...result.metadata, ...(decided !== null && { decided }) },
    ...(result.image && { image: result.image }),
  });
  void emit({ type: 'tool-end', entry });
}

/** Names the arguments that were dropped, for the model. */
function formatIgnored({ ignored = [] }: ToolUsePart): string {
  return ignored.length === 0 ? '' : `\n[ignored: ${ignored.join(', ')}]`;
}

async function resultOf(
  run: RunContext,
  prepared: Exclude<Prepared, { known: ToolEntry }>,
  emit: Emit,
): Promise<ToolResult> {
  if ('refusal' in prepared) return refused(prepared.refusal);
  const { call, tool } = prepared;
  try {
    if (isCutOff(run, call, tool)) return await cutOff(run, call.id, tool, prepared.input);
    const approval = await prepared.answered;
    const refusal = refusalOf(approval);
    if (refusal) return refusal;
    // Sub-agents that were asked for get their end recorded by their tool, also when all is stopped.
    if (run.signal.aborted && tool.recovery !== 'continue') throw stopOf(run.signal);
    const input = approval ? editedInput(tool, approval, prepared.input) : prepared.input;
    const start = emit({ type: 'tool-start', toolCallId: call.id, name: call.name, input });
    // Nothing may happen that a crash could forget. Sub-agents wait for their own start.
    if (tool.recovery === 'continue') await start;
    else if (!(await waitUntilStored(start, run))) throw stopOf(run.signal);
    // It was looked at before, and nobody was asked: whatever is there by now, nothing is done.
    if (prepared.idle !== undefined) return { status: 'completed', output: prepared.idle };
    const result = await execute(run, call.id, tool, input, approval);
    return { ...result, output: withEdits(result.output, approval) };
  } catch (error) {
    return failed(run, error);
  }
}

/** Whether the program died while the call ran: it may have been done, and is not to be done again. */
function isCutOff({ stored }: RunContext, { id }: ToolUsePart, { recovery }: Tool): boolean {
  return recovery === 'unknown' && stored.calls.get(id)?.status === 'running';
}

async function cutOff(run: RunContext, toolCallId: string, tool: Tool, asked: unknown): Promise<ToolResult> {
  const approval = run.stored.approvals.get(toolCallId);
  const input = approval ? editedInput(tool, approval, asked) : asked;
  await tool.clear?.(input, await run.toolContext(toolCallId, tool));
  const changed = await run.changedBy(toolCallId);
  return { status: 'error', output: formatUnknownOutcome(changed), metadata: changedMetadata(changed) };
}

async function execute(
  run: RunContext,
  toolCallId: string,
  tool: Tool,
  input: unknown,
  approval: Approval | null,
): Promise<ToolResult> {
  const work = tool.execute(input, await run.toolContext(toolCallId, tool), approval);
  if (tool.recovery !== 'continue') {
    run.watchdog.feed();
    const settled = tool.recovery === 'unknown' ? endOf(run, work) : orStopped(run.signal, work);
    return settled.finally(() => run.watchdog.feed());
  }
  // Sub-agents have watchdogs of their own, and end by themselves when this run is stopped.
  const resume = run.watchdog.hold();
  return work.finally(resume);
}

/** What has effects is stopped by itself, soon: only its end tells what it did, and nothing of it is left then. */
async function endOf({ signal }: RunContext, work: Promise<ToolResult>): Promise<ToolResult> {
  const result = await work;
  if (signal.aborted && result.status !== 'completed') throw stopOf(signal);
  return result;
}

/** A no to a tool call; sub-agents of a batch are answered one by one, so their tools deal with it. */
function refusalOf(approval: Approval | null): ToolResult | null {
  if (!approval || isSpawn(approval.request.subject)) return null;
  const [decision] = approval.decisions;
  if (decision?.allowed) return null;
  if (decision?.outcome === 'cancelled') return { status: 'cancelled', output: decision.reason ?? 'Cancelled' };
  return {
    status: 'error',
    output: `Rejected, nothing was done. Reason: ${decision?.reason ?? 'none given'}`,
  };
}

/** Behind the result: what the person changed before allowing it. Of sub-agents their report says so. */
function withEdits(output: string, approval: Approval | null): string {
  if (approval?.request.subject.kind !== 'tool') return output;
  const words = editWords(approval.request.subject.input, approval.decisions[0]?.edited);
  return words === null ? output : withEditNote(output, words);
}

function editedInput(tool: Tool, approval: Approval, asked: unknown): unknown {
  const decision = approval.decisions[0];
  if (isSpawn(approval.request.subject) || decision?.edited === undefined) return asked;
  return tool.input.parse(decision.edited);
}

function failed(run: RunContext, error: unknown): ToolResult {
  const stopped = run.signal.aborted ? stopOf(run.signal) : null;
  // What the program itself interrupts stays open: the resumed run settles it.
  if (stopped?.code === 'interrupted') throw stopped;
  if (error instanceof TriadError && error.code === 'store_failed') throw error;
  if (stopped) return { status: 'cancelled', output: stopped.message };
  return { status: 'error', output: errorInfo(error).message };
}
