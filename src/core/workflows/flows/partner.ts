/** The control flow of a run: its answers go to the coagent, until one of the two ends the work or all rounds are used. */
import type { Coagent, Flow } from '#contract/agent.ts';
import type { AssistantEntry, Bound, Entry } from '#contract/message.ts';
import { textOf } from '#contract/messages/response-text.ts';
import { newId } from '#core/base/ids.ts';
import { limitEnd, limitText, noteLimit, type LimitNotice } from '#core/runs/budget/limit-notices.ts';
import type { Payload, Recorded } from '#core/store/log/recorder.ts';
import type { Earlier } from '#core/store/log/told.ts';
import { bestAnswer, Transcript } from '#core/store/log/transcript.ts';
import type { RunResult } from '#core/runs/loop/closing.ts';
import { handedOn } from '#core/runs/loop/output-check.ts';
import { AtLimit, sideRequest } from '#core/runs/loop/side-request.ts';
import { inFlight } from '#core/runs/loop/tool-calls.ts';
import { toolsIn } from '#core/mcp/mcp-tool.ts';
import type { Partner, Run } from '#core/runs/run.ts';
import { writes } from '#core/tools/tool.ts';
import { coagentRun } from './coagent-run.ts';
import { addedTo, type Move, nextMove } from './control-flow.ts';
import { rendered } from '#core/agents/variables.ts';
import { type HandoffValues, handoffPrompt, handoffValues, sectionsOf } from './handoff-prompt.ts';
import { judged } from './judgement.ts';

/** Returns the control flow of a run; null if its envelope has none. */
export function partnerFor(run: Run): Partner | null {
  const { flow, agent } = run.envelope;
  if (!flow) return null;
  // The choice of a lead requires no approval, so this notice records it.
  if (run.isLead && run.plan.attempt === 1)
    void run.recorder.record({ type: 'notice', level: 'info', text: describeFlow(agent, flow) });
  return new FlowPartner(run, flow);
}

type Events<T> = AsyncGenerator<Payload, T, Recorded>;
type Done<T extends Move['do']> = Extract<Move, { do: T }>;

class FlowPartner implements Partner {
  readonly #run: Run;
  readonly #flow: Flow;
  /** Entries of the rounds of the coagent, by run id. */
  readonly #rounds = new Map<string, readonly Entry[]>();

  constructor(run: Run, flow: Flow) {
    this.#run = run;
    this.#flow = flow;
  }

  async *next(answer: AssistantEntry, result: RunResult, told: LimitNotice | null): Events<RunResult | null> {
    const { history } = this.#run;
    const { entries } = history;
    // An incomplete answer is not handed over. An earlier complete one may be better.
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

  /** Writes the prompt for the other agent, and hands the work over. Returns the limit that forbids it; null for none. */
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

  /** Runs the coagent. Its time does not count as time of the run. */
  async *#hear(answer: AssistantEntry, { handoff }: Done<'run'>): Events<void> {
    const { engine, history, watchdog } = this.#run;
    const coagent: Coagent = this.#flow.coagent!;
    const tools = toolsIn(engine.tools, coagent);
    const changes = (name: string): boolean => writes({ permissions: tools.get(name)?.permissions ?? [] });
    const resume = watchdog.hold();
    const given = { handoff, prior: await this.#priorRounds(handoff) };
    const heard = await coagentRun(this.#run, coagent, given).finally(resume);
    this.#rounds.set(handoff.runId, heard.entries);
    const { kind, from, to, runId, round, rounds } = handoff;
    const ways = { kind, from: to, to: from, runId, round, rounds, answer: answer.n };
    yield { type: 'handoff', entry: history.add({ ...ways, ...judged(this.#flow, answer.n, heard, changes) }) };
  }

  /** Returns the earlier rounds for a coagent of a chat. In other flows, each round starts without history. */
  async #priorRounds({ n }: Done<'run'>['handoff']): Promise<Earlier[]> {
    if (this.#flow.type !== 'chat') return [];
    const ids = this.#run.history.entries.flatMap((entry) =>
      entry.kind === 'handoff' && entry.n < n && entry.back?.outcome === 'completed' ? (entry.runId ?? []) : [],
    );
    const { store } = this.#run.engine;
    return Promise.all(
      ids.map(async (runId) => {
        const entries = this.#rounds.get(runId) ?? (await store.entriesOf(runId));
        return { runId, history: new Transcript([...entries]) };
      }),
    );
  }

  /** Returns the answer with the addition of the coagent. Of two JSON values, that of the coagent is used if it is valid. */
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

/** Returns the text of the coagent as an entry of the answer. */
function asAnswer({ by, text }: Done<'join'>) {
  const parts = [{ type: 'text' as const, text }];
  const ids = { messageId: newId(), responseId: null };
  return { kind: 'assistant' as const, ...ids, parts, stopReason: 'end_turn' as const, interrupted: false, by };
}

/** Describes the agents of a control flow and its limit of rounds in one sentence. */
function describeFlow(agent: string, { type, rounds, primary, coagent }: Flow): string {
  const who = primary === agent ? agent : `${agent} (${primary})`;
  const other = coagent?.agent ?? '';
  const most = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
  switch (type) {
    case 'hitl':
      return `${who} works alone, until its first whole answer`;
    case 'loop':
      return coagent
        ? `${who} and ${other} take turns until ${agent} calls the work complete, for at most ${most}`
        : `${who} works alone until it calls the work complete, for at most ${most}`;
    case 'judge':
      return `${who} works, and ${other} judges each of its answers, for at most ${most}`;
    case 'smart':
      return `${who} works, and ${other} judges each of its answers or completes it itself, for at most ${most}`;
    case 'chat':
      return `${who} and ${other} take turns until ${other} calls the work complete, for at most ${most}`;
  }
}
