/** The control flow of a run: once it has answered, its coagent is handed the work and heard, until one of them ends it or the rounds are used up. */
import type { Coagent, Envelope, Flow } from '#contract/agent.ts';
import type { AssistantEntry, Bound, Entry } from '#contract/message.ts';
import { textOf } from '#contract/messages/response-text.ts';
import { newId } from '../base/ids.ts';
import { limitEnd, limitText, noteLimit, type LimitNotice } from '../budget/limit-notices.ts';
import type { Payload, Recorded } from '../log/recorder.ts';
import type { Earlier } from '../log/told.ts';
import { bestAnswer, Transcript } from '../log/transcript.ts';
import type { RunResult } from '../loop/closing.ts';
import type { Partner, RunContext } from '../loop/run-context.ts';
import { handedOn } from '../loop/output-check.ts';
import { AtLimit, sideRequest } from '../loop/side-request.ts';
import { inFlight } from '../loop/tool-calls.ts';
import { toolsIn } from '../mcp/mcp-tool.ts';
import type { Engine } from '../runs/engine.ts';
import type { RunPlan } from '../runs/run-plan.ts';
import type { WorkflowScope } from '../runs/workflow-scope.ts';
import { writes } from '../tools/tool.ts';
import { coagentRun } from './coagent-run.ts';
import { addedTo, type Move, nextMove } from './control-flow.ts';
import { flowWords } from './flow-words.ts';
import { rendered } from '../agents/variables.ts';
import { type HandoffValues, handoffPrompt, handoffValues, sectionsOf } from './handoff-prompt.ts';
import { judged } from './judgement.ts';
import type { Served } from './served.ts';

/** For the plan of a run: null where its envelope has no control flow. */
export function partnerFor(engine: Engine, workflow: WorkflowScope, { flow }: Envelope): RunPlan['partner'] {
  if (!flow) return null;
  return (run, plan) => {
    // Who is chosen as lead is not asked about: this is the record of the choice.
    if (plan.kind === 'lead' && plan.attempt === 1)
      void plan.recorder.record({ type: 'notice', level: 'info', text: flowWords(run.envelope.agent, flow) });
    return new FlowPartner({ engine, workflow, plan }, run, flow);
  };
}

type Events<T> = AsyncGenerator<Payload, T, Recorded>;
type Done<T extends Move['do']> = Extract<Move, { do: T }>;

class FlowPartner implements Partner {
  readonly #served: Served;
  readonly #run: RunContext;
  readonly #flow: Flow;
  /** Entries of the coagent's rounds, by run id. */
  readonly #rounds = new Map<string, readonly Entry[]>();

  constructor(served: Served, run: RunContext, flow: Flow) {
    this.#served = served;
    this.#run = run;
    this.#flow = flow;
  }

  async *next(answer: AssistantEntry, result: RunResult, told: LimitNotice | null): Events<RunResult | null> {
    const { history } = this.#run;
    const { entries } = history;
    // What is not whole is handed to nobody; an earlier answer that is may be better.
    if (result.outcome !== 'completed') return { ...result, text: bestAnswer(entries) ?? result.text };
    for (;;) {
      const move = nextMove(entries, this.#flow, answer);
      switch (move.do) {
        case 'end':
          return { ...result, text: this.#whole(answer, result) };
        case 'used':
          return this.#used(result);
        case 'failed':
          return failed(move, result);
        case 'hand': {
          if (told) return { text: bestAnswer(entries) ?? result.text, ...unjudged(told.bound) };
          const bound = yield* this.#hand(answer, result, move.round);
          if (!bound) break;
          if ((await this.#run.limits.askPerson(bound)) === 'finish') yield noteLimit(history, bound);
          return null;
        }
        case 'run':
          yield* this.#hear(answer, move);
          break;
        case 'tell':
          yield { type: 'message-end', entry: history.add({ kind: 'user', source: move.source, text: move.text }) };
          return null;
        case 'join':
          yield { type: 'message-end', entry: history.add(asAnswer(move)) };
          return null;
      }
    }
  }

  /** Writes what the other one is told, and hands the work over. The bound that forbids it, where one does. */
  async *#hand(answer: AssistantEntry, { text }: RunResult, round: number): Events<Bound | null> {
    const { history, envelope } = this.#run;
    const flow = this.#flow;
    const values = handoffValues(history.entries, { envelope, flow }, { answer, text, round });
    const words = yield* this.#words(values);
    if (typeof words !== 'string') return words;
    const runId = flow.coagent ? newId() : null;
    const ways = { from: values.agent, to: values.coagent, runId, round, rounds: flow.rounds, answer: answer.n };
    const prompt = handoffPrompt(flow, words, values, envelope.output);
    yield { type: 'handoff', entry: history.add({ kind: 'handoff', ...ways, prompt }) };
    return null;
  }

  async *#words(values: HandoffValues): Events<string | Bound> {
    const { type, text } = this.#flow.handoff;
    if (type === 'static') return text;
    if (type === 'template') return rendered(text, values);
    const run = this.#run;
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: sectionsOf(values) }] }];
    const ask = { purpose: 'handoff', system: text, messages, signal: run.signal } as const;
    try {
      const made = yield* inFlight(run, null, (_calls, emit) => sideRequest(run, ask, emit));
      return made.text || text;
    } catch (error) {
      if (error instanceof AtLimit) return error.bound;
      throw error;
    }
  }

  /** While the coagent works, no time of the run counts. */
  async *#hear(answer: AssistantEntry, { handoff }: Done<'run'>): Events<void> {
    const { history, signal, watchdog } = this.#run;
    const coagent: Coagent = this.#flow.coagent!;
    const tools = toolsIn(this.#served.engine.tools, coagent);
    const changes = (name: string): boolean => writes({ permissions: tools.get(name)?.permissions ?? [] });
    const resume = watchdog.hold();
    const given = { handoff, prior: await this.#priorRounds(handoff) };
    const heard = await coagentRun(this.#served, coagent, given, signal).finally(resume);
    this.#rounds.set(handoff.runId, heard.entries);
    const { kind, from, to, runId, round, rounds } = handoff;
    const ways = { kind, from: to, to: from, runId, round, rounds, answer: answer.n };
    yield { type: 'handoff', entry: history.add({ ...ways, ...judged(this.#flow, answer.n, heard, changes) }) };
  }

  /** The rounds before this one that a coagent of a chat remembers; in every other flow each round is fresh. */
  async #priorRounds({ n }: Done<'run'>['handoff']): Promise<Earlier[]> {
    if (this.#flow.type !== 'chat') return [];
    const ids = this.#run.history.entries.flatMap((entry) =>
      entry.kind === 'handoff' && entry.n < n && entry.back?.outcome === 'completed' ? (entry.runId ?? []) : [],
    );
    const { store } = this.#served.engine;
    return Promise.all(
      ids.map(async (runId) => {
        const entries = this.#rounds.get(runId) ?? (await store.entriesOf(runId));
        return { runId, history: new Transcript([...entries]) };
      }),
    );
  }

  /** With what the coagent has added. Two values are no JSON: the coagent's counts where it is what was promised. */
  #whole(answer: AssistantEntry, { text }: RunResult): string {
    const { history, envelope } = this.#run;
    const first = addedTo(history.entries, answer);
    if (!first) return text;
    if (envelope.output?.format !== 'json') return `${textOf(first)}\n\n${text}`;
    return handedOn(envelope.output, text).ok ? text : textOf(first);
  }

  #used(result: RunResult): RunResult {
    const { rounds, coagent } = this.#flow;
    const who = coagent && this.#flow.type !== 'loop' ? coagent.agent : this.#run.envelope.agent;
    const s = rounds === 1 ? '' : 's';
    const message = `The ${rounds} round${s} of ${this.#run.envelope.agent} are used up, and ${who} has not called the work complete: the best answer is handed over`;
    const text = bestAnswer(this.#run.history.entries) ?? result.text;
    return { outcome: 'partial', text, error: { code: 'rounds_used', message } };
  }
}

function failed({ coagent, back: { outcome, error } }: Done<'failed'>, { text }: RunResult): RunResult {
  const message = `${coagent} did not complete (${error ?? outcome}): the answer is handed over as it is`;
  return { outcome: 'partial', text, error: { code: 'coagent_failed', message } };
}

function unjudged(bound: Bound): ReturnType<typeof limitEnd> {
  const { outcome, error } = limitEnd({ bound });
  const message = `The limit of ${limitText(bound)} was reached: the answer was handed to nobody`;
  return { outcome, error: { ...error, message } };
}

/** The coagent's words as a part of the answer. */
function asAnswer({ by, text }: Done<'join'>) {
  const parts = [{ type: 'text' as const, text }];
  const ids = { messageId: newId(), responseId: null };
  return { kind: 'assistant' as const, ...ids, parts, stopReason: 'end_turn' as const, interrupted: false, by };
}
