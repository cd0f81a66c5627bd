/** What the loop of one run may use: its turn at the provider, its limits, its tools' contexts, its questions. */
import type { Budget } from '#contract/agent.ts';
import type { ApprovalRequest } from '#contract/approval.ts';
import type { PlanItem } from '#contract/message.ts';
import { OPTIONS } from './approvals/policy.ts';
import type { Engine } from './engine.ts';
import { TriadError } from './errors.ts';
import { canonicalHash } from './hash.ts';
import type { History } from './history.ts';
import { newId } from './ids.ts';
import type { LoopRun } from './loop-run.ts';
import { memoryOf, scopeOf } from './memory.ts';
import { problemWords } from './problem-words.ts';
import type { LeadChildren, RunPlan } from './run-plan.ts';
import { isRaised, limitsOf, usedOf } from './spending.ts';
import type { Question } from './tools/question.ts';
import type { Tool } from './tools/tool.ts';
import type { Watchdog } from './watchdog.ts';
import type { WorkClock } from './work-clock.ts';
import type { Workflow } from './workflow.ts';

/** What the loop of one run is made from. */
export interface Parts {
  engine: Engine;
  workflow: Workflow;
  plan: RunPlan;
  signal: AbortSignal;
  history: History;
  watchdog: Watchdog;
  clock: WorkClock;
  model: LoopRun['model'];
  children: LeadChildren | null;
}

export function loopRunOf(parts: Parts): LoopRun {
  const { engine, plan, signal, history, watchdog, model, children } = parts;
  const { envelope, recorder, stored } = plan;
  const permits = engine.permits(model.provider);
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
    // With one request at a time the response would keep what it starts from its turn.
    get early() {
      return permits.limit > 1;
    },
    tools,
    stored: {
      calls: new Map(stored.calls.map((call) => [call.toolCallId, call])),
      approvals: new Map(stored.approvals.map((approval) => [approval.request.toolCallId, approval])),
    },
    limits: limitsFor(parts),
    // The lead would wait for itself where its children hold all permits, so it takes one only where there is one.
    admit: async () => {
      const resume = watchdog.hold();
      return permits.enter(model, signal, { free: plan.depth === 0 }).finally(resume);
    },
    price: (usage) => engine.price(envelope.model, usage),
    hint: (piece) => recorder.hint(piece),
    streamed: (messageId) => recorder.streamed(messageId),
    toolSpecs: () => engine.tools.specs(tools, children?.agents() ?? []),
    toolContext: contextsFor(parts),
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

function limitsFor({ workflow, plan, clock }: Parts): LoopRun['limits'] {
  const { recorder, envelope } = plan;
  const { runId } = recorder.ids;
  const own = (): Budget => workflow.raised.get(runId) ?? limitsOf(envelope);
  return {
    admit: (turns) => workflow.spending.admit(runId, own(), usedOf(recorder.tally, clock.ms, turns)),
    isRaised: (bound) => isRaised(bound, bound.of === 'run' ? own() : workflow.spending.limits),
    close: () => workflow.close(runId),
  };
}

function contextsFor({ engine, plan, signal, children }: Parts): LoopRun['toolContext'] {
  const { recorder, envelope, kind } = plan;
  const { conversationId, workflowId, runId, agent } = recorder.ids;
  const { folder } = envelope;
  let items: readonly PlanItem[] = plan.stored.plan;
  const own = {
    plan: {
      read: () => items,
      write: async (next: PlanItem[]) => {
        items = next;
        await recorder.record({ type: 'plan-change', items: next });
      },
    },
    memory: memoryOf(engine.store, recorder, { scope: scopeOf(agent, kind), folder }),
  };
  return (toolCallId) => {
    return { conversationId, workflowId, runId, toolCallId, folder, signal, children, ...own };
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
      const parsed = tool.input.safeParse(value, { error: problemWords });
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const name = issue?.path.map(String).join('.') || tool.name;
        throw new TriadError('bad_input', `The edited arguments do not fit: ${name} ${issue?.message}`);
      }
      return { value: parsed.data, hash: canonicalHash({ tool: tool.name, input: parsed.data }) };
    },
  };
}
