/** Executes the calls of one response: checks them in order, asks their questions together, and adds a result for each. */
import type { Approval } from '#contract/approval.ts';
import { DEPTH_REFUSAL } from '#contract/limits.ts';
import type { ToolUsePart } from '#contract/message.ts';
import { withEditNote } from '#contract/messages/edit-note.ts';
import { isSpawn } from '#contract/spawn-items.ts';
import { AsyncQueue } from '#core/base/async-queue.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { doomLoopThresholdOf } from '../budget/limits.ts';
import { repeatsOf } from '#core/store/log/transcript.ts';
import type { Run } from '../run.ts';
import { type Emit, type Payload, type Recorded, waitUntilStored } from '#core/store/log/recorder.ts';
import { orStopped, stopOf } from '#core/base/stop.ts';
import { changedMetadata, formatUnknownOutcome } from '#core/tools/changed-files.ts';
import { editWords } from '#core/tools/edit-words.ts';
import { ask as askPerson, askAgain } from '../questions.ts';
import { checkFolder, createToolContext } from '../tool-contexts.ts';
import { findChangeSet } from '../workspace-of.ts';
import { compact } from './compact.ts';
import { wholeSize } from './context-size.ts';
import { parseArguments } from '#core/tools/arguments.ts';
import { redactResult, refused } from '#core/tools/to-tool-result.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';

/** A call with its question, or the refusal that it gets instead of being executed. */
type Prepared =
  | { call: ToolUsePart; refusal: string }
  | { call: ToolUsePart; tool: Tool; input: unknown; answered: Promise<Approval | null>; idle?: string };

/**
 * Runs `work`, which emits events and adds calls, and yields all events in order. Returns the result of `work` when every
 * call has its result, also if `work` failed. `refusal`: the result of every call, none of which is executed then.
 */
export async function* inFlight<T>(
  run: Run,
  refusal: string | null,
  work: (calls: Calls, emit: Emit) => Promise<T>,
): AsyncGenerator<Payload, T, Recorded> {
  const queue = new AsyncQueue<Payload, Recorded>();
  const emit: Emit = (payload) => queue.push(payload);
  const calls = new Calls(run, refusal, emit);
  const done = work(calls, emit)
    // oxlint-disable-next-line @typescript-eslint/no-misused-promises -- `finally` waits for it
    .finally(() => run.compactions.during(emit, () => compactByHand(run, emit), calls.finish()))
    .finally(() => queue.close());
  // Awaited below, after the last event.
  done.catch(() => undefined);
  yield* queue.drain();
  return done;
}

/** Compacts because the person requested it while calls are open. */
async function compactByHand(run: Run, emit: Emit): Promise<void> {
  await compact(run, emit, { auto: false, tokensBefore: await wholeSize(run) });
}

/** The open calls of a response. Prepares them one after the other, in the order in which they are added. */
export class Calls {
  readonly #run: Run;
  readonly #refusal: string | null;
  readonly #emit: Emit;
  readonly #settled: Promise<void>[] = [];
  // Promise chains, not queues: a failure stops the calls after it, and the extra ticks of a queue would let a sub-agent
  // start before the question of the next one.
  /** The last preparation. Calls take slots and ask questions in their order. */
  #prepared: Promise<unknown> = Promise.resolve();
  /** The last call that must run alone. */
  #sequential: Promise<unknown> = Promise.resolve();

  constructor(run: Run, refusal: string | null, emit: Emit) {
    this.#run = run;
    this.#refusal = refusal;
    this.#emit = emit;
  }

  /** Adds a call. `recorded`: resolves when the call is in the log, so that its effects come after it. */
  add(call: ToolUsePart, recorded?: Promise<unknown>): void {
    const prepared = Promise.all([this.#prepared, recorded]).then(() =>
      this.#refusal === null ? prepare(this.#run, call) : { call, refusal: this.#refusal },
    );
    this.#prepared = prepared;
    const settled = this.#settle(prepared);
    settled.catch(() => undefined);
    this.#settled.push(settled);
  }

  /** Resolves when every call has its result. Rejects then if the program was interrupted. */
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

async function prepare(run: Run, call: ToolUsePart): Promise<Prepared> {
  const tool = run.tools.find(call.name);
  if (!tool) return { call, refusal: unknownTool(run, call.name) };
  const parsed = parseArguments(tool, call);
  if ('refusal' in parsed) return { call, refusal: parsed.refusal };
  const { input } = parsed;
  // An interrupted call may have had its effect, so it is not asked about again.
  if (run.signal.aborted || isCutOff(run, call, tool)) return { call, tool, input, answered: Promise.resolve(null) };
  try {
    await checkFolder(run, call.id, tool);
    return { call, tool, input, ...(await ask(run, call, tool, input)) };
  } catch (error) {
    if (!(error instanceof TriadError) || error.code === 'interrupted' || error.code === 'store_failed') throw error;
    return { call, refusal: error.message };
  }
}

/** Resolves as soon as the question is asked or queued. `answered` resolves with the answer; null if none is needed. */
async function ask(
  run: Run,
  call: ToolUsePart,
  tool: Tool,
  input: unknown,
): Promise<{ answered: Promise<Approval | null>; idle?: string }> {
  const parsed = { id: call.id, tool, input };
  const before = run.stored.approvals.get(call.id);
  const question = before
    ? null
    : ((await tool.question?.(input, await createToolContext(run, call.id, tool))) ?? null);
  const asked = before ? await askAgain(run, parsed, before) : await askPerson(run, parsed, question);
  if (!asked)
    return { answered: Promise.resolve(null), ...(question?.idle === undefined ? {} : { idle: question.idle }) };
  const answered = asked.answered.finally(run.watchdog.hold());
  // Awaited in `settle`; until then a stop must not count as unhandled.
  answered.catch(() => undefined);
  return { answered };
}

function unknownTool(run: Run, name: string): string {
  if (!run.isLead && run.tools.startsAgents(name)) return DEPTH_REFUSAL;
  const meant = run.tools.all.find(({ knownAs }) => knownAs?.includes(name));
  return `There is no tool "${name}"${meant ? `, but ${meant.name}` : ''}. Your tools are: ${run.tools.all.map((tool) => tool.name).join(', ')}`;
}

async function settle(run: Run, prepared: Prepared, emit: Emit): Promise<void> {
  // The duration of the call excludes the wait for the person. `runPreparedCall` handles a failed question.
  const approval = 'answered' in prepared ? await prepared.answered.catch(() => null) : null;
  const start = performance.now();
  const tool = 'tool' in prepared ? prepared.tool : null;
  const result = await redactResult(await runPreparedCall(run, prepared, emit), tool);
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

async function runPreparedCall(run: Run, prepared: Prepared, emit: Emit): Promise<ToolResult> {
  if ('refusal' in prepared) return refused(prepared.refusal);
  const { call, tool } = prepared;
  try {
    if (isCutOff(run, call, tool)) return await cutOff(run, call.id, tool, prepared.input);
    const approval = await prepared.answered;
    const refusal = refusalOf(approval);
    if (refusal) return refusal;
    // After a stop, the tool still records the end of requested sub-agents.
    if (run.signal.aborted && tool.recovery !== 'continue') throw stopOf(run.signal);
    const input = approval ? editedInput(tool, approval, prepared.input) : prepared.input;
    const start = emit({ type: 'tool-start', toolCallId: call.id, name: call.name, input });
    // The start is stored before any effect, so that a crash cannot lose it. Sub-agents wait for their own start.
    if (tool.recovery === 'continue') await start;
    else if (!(await waitUntilStored(start, run))) throw stopOf(run.signal);
    // The tool had nothing to do when it was checked, so the person was not asked. It does nothing now either.
    if (prepared.idle !== undefined) return { status: 'completed', output: prepared.idle };
    const result = await execute(run, call.id, tool, input, approval);
    return { ...result, output: withEdits(result.output, approval) };
  } catch (error) {
    return failed(run, error);
  }
}

/** Returns true if the program ended while the call ran. The call may have had its effect, and must not run again. */
function isCutOff({ stored }: Run, { id }: ToolUsePart, { recovery }: Tool): boolean {
  return recovery === 'unknown' && stored.calls.get(id)?.status === 'running';
}

async function cutOff(run: Run, toolCallId: string, tool: Tool, asked: unknown): Promise<ToolResult> {
  const approval = run.stored.approvals.get(toolCallId);
  const input = approval ? editedInput(tool, approval, asked) : asked;
  await tool.clear?.(input, await createToolContext(run, toolCallId, tool));
  const changed = await findChangeSet(run.engine, { ...run.plan, ...run.ids }, toolCallId, run.signal);
  return { status: 'error', output: formatUnknownOutcome(changed), metadata: changedMetadata(changed) };
}

async function execute(
  run: Run,
  toolCallId: string,
  tool: Tool,
  input: unknown,
  approval: Approval | null,
): Promise<ToolResult> {
  const work = tool.execute(input, await createToolContext(run, toolCallId, tool), approval);
  if (tool.recovery !== 'continue') {
    run.watchdog.feed();
    const settled = tool.recovery === 'unknown' ? waitForEnd(run, work) : orStopped(run.signal, work);
    return settled.finally(() => run.watchdog.feed());
  }
  // Sub-agents have watchdogs of their own, and end by themselves when this run is stopped.
  const resume = run.watchdog.hold();
  return work.finally(resume);
}

/** Waits until a tool with effects has stopped by itself. Only its end shows what it did. */
async function waitForEnd({ signal }: Run, work: Promise<ToolResult>): Promise<ToolResult> {
  const result = await work;
  if (signal.aborted && result.status !== 'completed') throw stopOf(signal);
  return result;
}

/** Returns the result of a rejected call; null if it is allowed. The tools of sub-agents handle the answers of a batch. */
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

/** Appends the changes that the person made before the approval. Reports of sub-agents contain them already. */
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

function failed(run: Run, error: unknown): ToolResult {
  const stopped = run.signal.aborted ? stopOf(run.signal) : null;
  // A call that the program interrupts stays open. The resumed run settles it.
  if (stopped?.code === 'interrupted') throw stopped;
  if (error instanceof TriadError && error.code === 'store_failed') throw error;
  if (stopped) return { status: 'cancelled', output: stopped.message };
  return { status: 'error', output: errorInfo(error).message };
}

/**
 * Describes the person's decision, for the history after the result is shortened; null for a plain yes. `output`: the
 * result that the model reads.
 */
function decisionWords(approval: Approval | null, output: string): string | null {
  if (!approval) return null;
  const { subject } = approval.request;
  const words = approval.decisions.flatMap((decision, item) => {
    if (decision?.decidedBy !== 'person') return [];
    const whose = subject.kind === 'envelopes' ? `${subject.items[item]?.envelope.agent ?? ''}: ` : '';
    if (!decision.allowed) return [`${whose}refused${decision.reason === null ? '' : `, because: ${decision.reason}`}`];
    if (subject.kind === 'questions') return [output];
    if (decision.edited === undefined) return [];
    const asked = subject.kind === 'tool' ? subject.input : null;
    const changes = asked === null ? null : editWords(asked, decision.edited);
    return [`${whose}allowed after changes${changes === null ? '' : `: ${changes}`}`];
  });
  return words.length === 0 ? null : words.join('\n');
}
