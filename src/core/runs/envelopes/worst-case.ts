/** The most that a run and all that serve it can ask of models, if every limit is used up. Pure. */
import type { Coagent, Envelope, Flow, Stage } from '#contract/agent.ts';
import type { WorstCase } from '#contract/approval.ts';
import { NO_USAGE } from '#core/model/model.ts';
import { isScriptedModel } from '#core/model/provider-traits.ts';
import type { Engine } from '../engine.ts';

/** What must be known of models: their prices, and how much they read. */
type Known = Pick<Engine, 'price' | 'capabilities'>;
type Price = Engine['price'];

/**
 * Not counted: what a request costs that fails and is sent again, what the person has an agent explain, what an MCP
 * server is allowed to ask, searches of the web, and sub-agents, which are asked about one by one. Every request is taken
 * to read as much as the model can read, at the dearest of its prices for that, and to write as much as it may; a budget of dollars
 * bounds that, as far as it is kept: the report that is asked for at a limit may cross it.
 */
export function worstCase(envelope: Envelope, known: Known): WorstCase {
  return sum([withFlow(envelope, known), ...envelope.stages.map((stage) => withFlow(stage, known))]);
}

/** An agent's run with those of its coagent: one for each round, after the last of which a loop does not ask it any more. */
function withFlow(part: Stage, known: Known): WorstCase {
  const { flow } = part;
  if (!flow) return alone(part, { answers: 1, handoffs: 0 }, known);
  const heard = handoffsIn(flow);
  const handoffs = flow.handoff.type === 'generated' ? heard : 0;
  const own = alone(part, { answers: flow.rounds, handoffs }, known);
  const coagent = flow.coagent ? alone(flow.coagent, { answers: 1, handoffs: 0 }, known) : NOTHING;
  return sum([own, times(coagent, heard)]);
}

/** How often the work is handed over. */
function handoffsIn({ type, rounds }: Flow): number {
  if (type === 'hitl') return 0;
  return type === 'loop' ? rounds - 1 : rounds;
}

/** Of one run: its turns, the report at its limit, its reviews, and the words that it hands over. */
function alone(part: Coagent, { answers, handoffs }: { answers: number; handoffs: number }, known: Known): WorstCase {
  const { maxIterations } = part.limits;
  const requests = maxIterations + AT_LIMIT + reviewsOf(part, answers) + handoffs;
  return { requests, nanoUsd: costOf(part, requests, known) };
}

/** The one request without tools that asks for the report. */
const AT_LIMIT = 1;
/** An answer whose review cannot be read is reviewed once more. */
const REVIEWS_OF_ONE = 2;

/** Each answer takes a turn, and is tried again as often as its definition says. */
function reviewsOf({ reflection, limits }: Coagent, answers: number): number {
  if (!reflection) return 0;
  return REVIEWS_OF_ONE * Math.min(answers * (reflection.maxRetries + 1), limits.maxIterations);
}

function costOf(
  { provider, model, maxTokens, limits }: Coagent,
  requests: number,
  { price, capabilities }: Known,
): number | null {
  const bound = limits.budget?.costUsd;
  const window = isScriptedModel(model) ? 0 : capabilities(provider, model).contextWindow;
  const nanoUsd = dearest(model, window ?? 1, maxTokens, price);
  // Where a request has no price, no budget can hold either.
  if (nanoUsd === null) return null;
  const most = window === null ? Infinity : requests * nanoUsd;
  const bounded = bound === undefined ? most : Math.min(most, Math.round(bound * 1e9));
  return Number.isFinite(bounded) ? bounded : null;
}

/** A prompt that is written to the cache costs more than one that is not. Null where input has no price. */
function dearest(model: string, input: number, outputTokens: number, price: Price): number | null {
  const plain = price(model, { ...NO_USAGE, inputTokens: input, outputTokens }).nanoUsd;
  const written = price(model, { ...NO_USAGE, cacheWrite5mTokens: input, outputTokens }).nanoUsd;
  return plain === null ? null : Math.max(plain, written ?? 0);
}

const NOTHING: WorstCase = { requests: 0, nanoUsd: 0 };

function sum(all: readonly WorstCase[]): WorstCase {
  return all.reduce((one, other) => ({
    requests: one.requests + other.requests,
    nanoUsd: one.nanoUsd === null || other.nanoUsd === null ? null : one.nanoUsd + other.nanoUsd,
  }));
}

function times({ requests, nanoUsd }: WorstCase, count: number): WorstCase {
  return { requests: requests * count, nanoUsd: count === 0 ? 0 : nanoUsd === null ? null : nanoUsd * count };
}
