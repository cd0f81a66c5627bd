/** Runs one agent from its envelope to its recorded end, whatever way it ends. */
import type { Envelope } from '#contract/agent.ts';
import type { ApprovalRequest } from '#contract/approval.ts';
import type { Tally } from '#contract/outcome.ts';
import { agentLoop, type RunResult } from './agent-loop.ts';
import { OPTIONS } from './approvals/policy.ts';
import type { Engine } from './engine.ts';
import { errorInfo, TriadError } from './errors.ts';
import { canonicalHash } from './hash.ts';
import { History, lastText } from './history.ts';
import { newId } from './ids.ts';
import type { LoopRun } from './loop-run.ts';
import type { Recorder, Payload } from './recorder.ts';
import { NO_USAGE } from './model-turn.ts';
import { Stopped, stopOf } from './stop.ts';
import type { StoredRun } from './stored-run.ts';
import type { Children } from './tools/children.ts';
import type { Question } from './tools/question.ts';
import type { Tool } from './tools/tool.ts';
import { usageOf } from './usage.ts';
import { Watchdog } from './watchdog.ts';
import type { LiveRun, Workflow } from './workflow.ts';

export interface RunPlan {
  recorder: Recorder;
  depth: number;
  /** From the person down to this agent. */
  chain: string[];
  envelope: Envelope;
  envelopeHash: string;
  /** 1 for a fresh run; a resumed one counts on. */
  attempt: number;
  /** What earlier attempts stored. */
  stored: StoredRun;
  prior: LoopRun['prior'];
  queuedMs: number;
  /** Makes the capability of starting sub-agents: a lead's plan has it, no other has. */
  children: ((history: History, signal: AbortSignal) => LeadChildren) | null;
}

/** Sub-agents as their lead's run sees them: what the tools use, and what goes on behind them. */
export interface LeadChildren extends Children {
  backgroundReports: LoopRun['backgroundReports'];
  /** After a restart: sub-agents that were working in the background go on there. */
  resumeBackground(): void;
  /** The lead has ended: nothing of it may go on. */
  end(): Promise<void>;
}

export interface EndedRun extends RunResult {
  durationMs: number;
  tally: Tally;
}

/** Never rejects for what happens to the run itself; an interruption by the program is told but not recorded. */
export async function executeRun(
  engine: Engine,
  workflow: Workflow,
  live: LiveRun,
  plan: RunPlan,
): Promise<EndedRun> {
  const { recorder, envelope, stored } = plan;
  const { signal } = live.controller;
  const start = performance.now();
  const history = new History(stored.entries);
  const watchdog = new Watchdog(envelope.limits.inactivityMs, () =>
    live.controller.abort(new Stopped('timeout')),
  );
  const children = plan.children?.(history, signal) ?? null;
  let result: RunResult;
  try {
    if (canonicalHash(envelope) !== plan.envelopeHash) {
      throw new TriadError(
        'envelope_mismatch',
        'The stored settings of this run are not those that were approved: it was not started',
      );
    }
    const started = recorder.record({
      type: 'run-start',
      attempt: plan.attempt,
      envelope,
      envelopeHash: plan.envelopeHash,
      queuedMs: plan.queuedMs,
    });
    open(plan, history);
    tellUnknownPrice(engine, workflow, plan);
    // A sub-agent's first request waits until the disk knows of its yes and its start.
    if (plan.depth > 0) await started;
    const model = await engine.model();
    children?.resumeBackground();
    const loop = agentLoop(loopRun({ engine, workflow, plan, signal, history, watchdog, model, children }));
    // Sub-agents are counted as agents where a stop tells what it ended.
    result = await drive(recorder, live, loop, (tool) => engine.tools.get(tool)?.recovery === 'continue');
  } catch (error) {
    result = endOf(error, signal, history);
  } finally {
    watchdog.stop();
  }
  await children?.end();
  const durationMs = stored.activeMs + performance.now() - start;
  if (result.outcome === 'cancelled') {
    void recorder.record({
      type: 'message-end',
      entry: history.add({ kind: 'system', code: 'cancelled', text: result.error?.message ?? 'Cancelled' }),
    });
  }
  if (result.outcome !== 'interrupted') {
    void recorder.record({ type: 'run-end', ...result, durationMs, usage: usageOf(recorder.tally) });
  }
  return { ...result, durationMs, tally: recorder.tally };
}

/** The first words to a fresh run are its prompt; a resumed one goes on where its history ends. */
function open({ recorder, envelope, depth, attempt }: RunPlan, history: History): void {
  if (attempt > 1) {
    void recorder.record({
      type: 'message-end',
      entry: history.add({ kind: 'system', code: 'resumed', text: `Resumed (attempt ${attempt})` }),
    });
  }
  if (history.entries.some((entry) => entry.kind === 'user')) return;
  const entry = history.add({
    kind: 'user',
    source: depth === 0 ? 'person' : 'parent',
    text: envelope.prompt,
  });
  void recorder.record({ type: 'message-end', entry });
}

/** Said once for each model: a workflow with such requests has no total cost. */
function tellUnknownPrice(
  engine: Engine,
  workflow: Workflow,
  { recorder, envelope: { model } }: RunPlan,
): void {
  if (engine.price(model, NO_USAGE).priceVersion !== null || workflow.unpriced.has(model)) return;
  workflow.unpriced.add(model);
  const text = `The price of ${model} is not known: tokens are counted, costs are not`;
  void recorder.record({ type: 'notice', level: 'info', text });
}

/**
 * Records what the loop tells. Only the start of a tool waits for the disk: nothing may happen that a crash could
 * forget. (Sub-agents wait for their own start.)
 */
async function drive(
  recorder: Recorder,
  live: LiveRun,
  loop: AsyncGenerator<Payload, RunResult>,
  startsAgents: (tool: string) => boolean,
): Promise<RunResult> {
  const started = new Set<string>();
  for (let next = await loop.next(); ; next = await loop.next()) {
    if (next.done) return next.value;
    const { value } = next;
    const stored = recorder.record(value);
    if (value.type === 'turn-start') live.requests = 1;
    else if (value.type === 'usage') live.requests = 0;
    else if (value.type === 'tool-end') started.delete(value.entry.toolCallId);
    const starts = value.type === 'tool-start' && !startsAgents(value.name);
    if (starts) started.add(value.toolCallId);
    live.tools = started.size;
    if (starts) await stored;
  }
}

function endOf(error: unknown, signal: AbortSignal, history: History): RunResult {
  const text = lastText(history.entries);
  const cause = signal.aborted ? stopOf(signal) : error;
  const info = errorInfo(cause);
  if (info.code === 'interrupted' || info.code === 'store_failed')
    return { outcome: 'interrupted', text, error: info };
  if (cause instanceof Stopped)
    return { outcome: cause.kind === 'timeout' ? 'timed_out' : 'cancelled', text, error: info };
  return { outcome: 'error', text, error: info };
}

interface Parts {
  engine: Engine;
  workflow: Workflow;
  plan: RunPlan;
  signal: AbortSignal;
  history: History;
  watchdog: Watchdog;
  model: LoopRun['model'];
  children: LeadChildren | null;
}

function loopRun(parts: Parts): LoopRun {
  const { engine, plan, signal, history, watchdog, model, children } = parts;
  const { envelope, recorder, stored } = plan;
  const { limit, semaphore } = engine.permits(model.provider);
  const tools = engine.tools.offered(envelope.tools, plan.depth === 0);
  return {
    depth: plan.depth,
    envelope,
    history,
    prior: plan.prior,
    signal,
    watchdog,
    model,
    retryDelays: engine.retryDelays,
    tools,
    stored: {
      calls: new Map(stored.calls.map((call) => [call.toolCallId, call])),
      approvals: new Map(stored.approvals.map((approval) => [approval.request.toolCallId, approval])),
    },
    // The lead would wait for itself where its children hold all permits, so it takes one only where there is one.
    admit: async () => {
      if (plan.depth === 0 && limit > 1) return () => undefined;
      const resume = watchdog.hold();
      return semaphore.acquire(signal).finally(resume);
    },
    price: (usage) => engine.price(envelope.model, usage),
    hint: (piece) => recorder.hint(piece),
    streamed: (messageId) => recorder.streamed(messageId),
    toolSpecs: () => engine.tools.specs(tools, children?.agents() ?? []),
    toolContext: (toolCallId) => {
      const { conversationId, workflowId, runId } = recorder.ids;
      return { conversationId, workflowId, runId, toolCallId, folder: envelope.folder, signal, children };
    },
    ask: (toolCallId, question, tool) =>
      engine.gate.ask(requestOf(parts, toolCallId, question), asking(parts, question.subject, tool)),
    askAgain: (approval, tool) =>
      engine.gate.askAgain(approval, asking(parts, approval.request.subject, tool)),
    backgroundReports: async (wait) => {
      if (!children) return null;
      // Sub-agents have watchdogs of their own.
      const resume = watchdog.hold();
      return children.backgroundReports(wait).finally(resume);
    },
  };
}

function requestOf({ engine, plan }: Parts, toolCallId: string, question: Question): ApprovalRequest {
  const { conversationId, workflowId, runId, agent } = plan.recorder.ids;
  return {
    id: newId(),
    ...{ conversationId, workflowId, runId, toolCallId, agent },
    chain: plan.chain,
    ...question,
    options: [OPTIONS.allow, OPTIONS.reject],
    remainingMs: engine.settings.limits.approval_seconds * 1000,
    at: new Date().toISOString(),
  };
}

function asking(
  { engine, workflow, plan, signal }: Parts,
  subject: Question['subject'],
  tool: Tool,
): Parameters<Engine['gate']['ask']>[1] {
  return {
    policy: workflow.approve,
    signal,
    record: (payload) => plan.recorder.record(payload),
    revalidate: (item, value) => {
      if (subject.kind === 'envelopes') {
        const asked = subject.items[item]?.envelope;
        if (!asked) throw new TriadError('bad_input', `The question has no item ${item}`);
        return engine.envelopes.edited(value, asked, plan.envelope);
      }
      const parsed = tool.input.safeParse(value);
      if (!parsed.success)
        throw new TriadError(
          'bad_input',
          `The edited arguments do not fit: ${parsed.error.issues[0]?.message ?? 'invalid'}`,
        );
      return { value: parsed.data, hash: canonicalHash({ tool: tool.name, input: parsed.data }) };
    },
  };
}
