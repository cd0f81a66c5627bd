/** An agent with a control flow in a runtime: as the lead, or as a sub-agent that the lead delegates to. */
import type { AgentDefinition } from '#contract/agent.ts';
import type { AgentEvent } from '#contract/event.ts';
import type { FlowDefinition } from '#contract/flows/control-flow.ts';
import type { HandoffEntry } from '#contract/message.ts';
import { definitionOf } from '../envelope.ts';
import { withAgents } from '../compose.ts';
import { type Harness, type HarnessOptions, type Start, startEngine } from '../engine.ts';
import { delegateTo } from '../fake-model/scenarios.ts';
import type { Seen } from '../fake-model/request.ts';
import { type Block, type Blocks, type Match, type ReplyOptions, Script, text, toolUse } from '../fake-model/script.ts';

export const WORKER: Match = { system: /You are the worker/ };
export const CHECKER: Match = { system: /You are the checker/ };
/** Of a lead above the pair. */
const ABOVE: Match = { tools: ['delegate_task'] };

/** What the lead's composition and the sub-agent's are called. */
export const PAIR = 'pair';
const TASK = 'Write the page.';

export interface FlowOptions extends HarnessOptions {
  flow: Partial<FlowDefinition>;
  /** Default: as the lead. */
  as?: 'lead' | 'sub';
  worker?: Partial<AgentDefinition>;
  checker?: Partial<AgentDefinition>;
}

/** Definitions as compositions make them: that of the pair, and that of its coagent. */
export function pairOf({ flow, as = 'lead', worker = {}, checker = {} }: FlowOptions): AgentDefinition[] {
  const name = as === 'lead' ? 'lead' : PAIR;
  const isAlone = flow.type === 'hitl' || (flow.type === 'loop' && flow.coagent === undefined);
  const whole: FlowDefinition = {
    type: 'judge',
    rounds: 3,
    primary: 'worker',
    coagent: isAlone ? null : 'checker',
    handoff: { type: 'static', text: 'Look at this.' },
    ...flow,
  };
  const systemPrompt = 'You are the worker.';
  const role = as === 'lead' ? 'primary' : 'subagent';
  return [
    definitionOf({ name, role, description: 'A pair', systemPrompt, flow: whole, ...worker }),
    definitionOf({ name: 'checker', description: 'Checks', systemPrompt: 'You are the checker.', ...checker }),
  ];
}

export async function startFlow(script: Script, options: FlowOptions, start: Start = startEngine): Promise<Harness> {
  const engine = await start(script, options);
  withAgents(engine.agents, pairOf(options), engine.folder);
  return engine;
}

type Reply = string | Block[] | { blocks: Blocks; options: ReplyOptions };

/**
 * What the worker answers, one after the other, and what the checker says of the answer with these words: each of its
 * runs begins anew. A reply of several turns is a list of replies.
 */
export function pair(
  answers: readonly Reply[],
  checks: Readonly<Record<string, Reply | readonly Reply[]>> = {},
): Script {
  const script = new Script();
  for (const [words, said] of Object.entries(checks)) {
    const replies: readonly Reply[] = isReply(said) ? [said] : said;
    for (const [index, one] of replies.entries())
      reply(script, { ...CHECKER, where: (seen) => isRound(seen, words, index + 1) }, one);
  }
  for (const [index, one] of answers.entries()) reply(script, { ...WORKER, turn: index + 1 }, one);
  return script
    .on({ ...ABOVE, turn: 1 })
    .reply([delegateTo(PAIR, TASK)])
    .on(ABOVE)
    .reply([text('The lead has the report.')]);
}

/** Whether it is this turn about the answer with these words: in a run of its own, or in one that remembers earlier rounds. */
function isRound({ prompt, turn, asked: told, step }: Seen, words: string, nth: number): boolean {
  const isFresh = turn === nth && answerIn(prompt).includes(words);
  return isFresh || (step === nth && answerIn(told).includes(words));
}

function isReply(said: Reply | readonly Reply[]): said is Reply {
  return !Array.isArray(said) || said.every((one) => typeof one === 'object' && 'type' in one);
}

function reply(script: Script, match: Match, one: Reply): void {
  if (typeof one === 'string') script.on(match).reply([text(one)]);
  else if (Array.isArray(one)) script.on(match).reply(one);
  else script.on(match).reply(one.blocks, one.options);
}

/** Its rules come before those of the script. */
export function before(script: Script, other: Script): Script {
  script.rules.unshift(...other.rules);
  return script;
}

/** The answer that a coagent is handed. */
function answerIn(prompt: string): string {
  return /## The answer of [^\n]*\n\n([^]*?)\n\n## How you end/.exec(prompt)?.[1] ?? '';
}

export const done = (summary: string): Block[] => [toolUse('task_complete', { summary })];

export const handoffs = (events: readonly AgentEvent[]): HandoffEntry[] =>
  events.flatMap((event) => (event.type === 'handoff' ? [event.entry] : []));

/** The requests of the checker, and those of the worker. */
export const asked = ({ model }: { model: Pick<Harness['model'], 'requests'> }, who: Match) =>
  model.requests.filter(({ seen }) => who.system?.test(seen.system));
