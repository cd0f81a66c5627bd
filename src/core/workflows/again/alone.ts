/** The lead of a workflow that is one execution again: it asks no model, has that one started, and hands on its report. */
import type { Envelope } from '#contract/agent.ts';
import type { AgainOf } from '#contract/messages/again.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import type { AssistantEntry, Part } from '#contract/message.ts';
import type { RunRow } from '#contract/view.ts';
import { mustExist, TriadError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { stopOf } from '../../base/stop.ts';
import { chainsIn, isLeft } from '../../flows/chain.ts';
import { lastResponse, nextStep } from '../../log/transcript.ts';
import type { RunResult } from '../../loop/closing.ts';
import type { RunContext } from '../../loop/run-context.ts';
import { inFlight } from '../../loop/tool-calls.ts';
import type { Engine } from '../../runs/engine.ts';
import type { Alone } from '../../runs/run-plan.ts';
import { delegationRequest, reportResult, requireChildren } from '../../tools/sub-agent-tools.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Workflow } from '../workflow.ts';
import { heldAgainstNow, storedEnvelope } from './held-against-now.ts';

/** What starts it, as rules know it. */
export const TOOL_OF = { spawn: 'spawn_agent', delegate: 'delegate_task' } as const;

/** A title is cut to what the tools take. */
const TITLE_CHARS = 200;

/** For the plan of the lead. Nothing here leads to a request: its only step is the call, and what that gave is its answer. */
export function aloneFor(engine: Engine, workflow: Workflow, of: AgainOf, parent: Envelope): Alone {
  const first = () => firstOf(engine, of);
  return {
    tool: againTool(engine, workflow, { of, parent }),
    loop: async function* (run) {
      const { history, signal } = run;
      for (;;) {
        const step = nextStep(history.entries);
        if (step.do === 'settle') {
          yield* inFlight(run, null, async (calls) => {
            for (const call of step.calls) calls.add(call);
          });
          continue;
        }
        if (signal.aborted) throw stopOf(signal);
        if (!lastResponse(history.entries)) {
          yield { type: 'message-end', entry: history.add(said([callOf(of, await first())], 'tool_use')) };
          continue;
        }
        // Where the person has it tried again, it reports once more.
        const reports = await run.backgroundReports(true);
        if (reports) {
          const words = { source: 'engine', text: reports.text, reportsOf: reports.runIds } as const;
          yield { type: 'message-end', entry: history.add({ kind: 'user', ...words }) };
          continue;
        }
        const result = await resultOf(engine, workflow, run);
        run.limits.close();
        if (step.do === 'request' && result.text !== '')
          yield { type: 'message-end', entry: history.add(said([{ type: 'text', text: result.text }], 'end_turn')) };
        return result;
      }
    },
  };
}

/** Its row now: whoever asks holds it against what was said of it before. Throws `not_found`, `envelope_mismatch`. */
async function firstOf({ store }: Pick<Engine, 'store'>, { runId, envelopeHash }: AgainOf): Promise<RunRow> {
  const row = await mustExist(store.run(runId), `There is no run ${runId} any more: it cannot be run again`);
  return { ...row, envelope: storedEnvelope({ envelope: row.envelope, envelopeHash }) };
}

/** As rules know it, but that its question is about the stored envelope, whatever its arguments say. */
function againTool(engine: Engine, workflow: Workflow, { of, parent }: { of: AgainOf; parent: Envelope }): Tool {
  const base = engine.tools.get(TOOL_OF[of.as]);
  if (!base) throw new TriadError('internal', `There is no tool ${TOOL_OF[of.as]}`);
  return {
    ...base,
    question: async (_input, context) => {
      const { envelope, title } = await firstOf(engine, of);
      const { agents, limits } = workflow;
      await heldAgainstNow(engine, envelope, { parent, agents, limits: limits() });
      const request = { ...delegationRequest(envelope.agent, envelope.prompt, title), again: { of, envelope } };
      return requireChildren(context).propose(of.as, context.toolCallId, [request]);
    },
    execute: async (_input, context, approval) => {
      if (!approval) throw new TriadError('internal', 'A sub-agent needs an approval');
      const [report] = await requireChildren(context).run(context.toolCallId, approval, 'all');
      return reportResult(report);
    },
  };
}

/** What a lead would have called, for whoever reads the history. */
function callOf({ as }: AgainOf, { envelope: { agent, prompt }, title }: RunRow): Part {
  const reason = title.slice(0, TITLE_CHARS);
  const input =
    as === 'spawn'
      ? { operation: as, name: agent, prompt, reason }
      : { operation: as, agent_id: agent, prompt, reason };
  return { type: 'tool_use', id: `again-${newId()}`, name: TOOL_OF[as], input };
}

function said(parts: Part[], stopReason: AssistantEntry['stopReason']) {
  const ids = { messageId: newId(), responseId: null };
  return { kind: 'assistant' as const, ...ids, parts, stopReason, interrupted: false };
}

/** As the execution ended, with its chain. What ended at a limit of its own is no limit of the lead's. */
async function resultOf({ log, store }: Engine, { id }: Workflow, { history }: RunContext): Promise<RunResult> {
  await log.flush();
  const rows = await store.runsOf([id]);
  const started = rows.find(isSubAgent);
  if (!started) {
    const refusal = history.entries.findLast((entry) => entry.kind === 'tool')?.output ?? 'It was not started';
    return { outcome: 'error', text: '', error: { code: 'not_allowed', message: refusal } };
  }
  const stages = chainsIn(rows).get(started.id) ?? [];
  const { agent, text, error, outcome } = stages.at(-1) ?? started;
  if (outcome === 'completed' && isLeft(started, stages)) {
    const message = `What ${agent} gave cannot be handed on: its chain ended there`;
    return { outcome: 'error', text, error: { code: 'chain_failed', message } };
  }
  if (outcome !== 'budget_exceeded' && outcome !== 'timed_out') return { outcome: outcome ?? 'error', text, error };
  return { outcome: 'partial', text, error: { code: 'limit_reached', message: error?.message ?? outcome } };
}
