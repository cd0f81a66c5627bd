/** In a line: who serves a run and how, and the most that it can come to. Pure. */
import type { Coagent, Envelope, Flow } from '../agent.ts';
import type { WorstCase } from '../approval.ts';
import type { FlowDefinition } from './control-flow.ts';

const NANO_USD_OF_A_CENT = 1e7;

/** How an agent takes turns, after its name; empty where it answers once. */
export function flowText({ type, rounds, coagent }: Flow | FlowDefinition): string {
  if (type === 'hitl') return '';
  const name = typeof coagent === 'string' ? coagent : coagent?.agent;
  const who = name === undefined ? 'going on by itself' : `with the coagent ${name}`;
  return `${who}, ${type}, at most ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
}

/** Who works, in order, and with whom; empty for an agent that works alone. */
export function servingText(envelope: Pick<Envelope, 'agent' | 'flow' | 'stages'>): string {
  const [first = '', ...others] = [envelope, ...envelope.stages].map(({ agent, flow }) => {
    const turns = flow ? flowText(flow) : '';
    return turns === '' ? agent : `${agent} ${turns}`;
  });
  const line = [first, ...others.map((one) => `then ${one}`)].join(', ');
  return line === envelope.agent ? '' : line;
}

/** All that serve a run, each once: its coagent, then each stage with its own. Questions name them in this order. */
export function allServing({ flow, stages }: Pick<Envelope, 'flow' | 'stages'>): Coagent[] {
  const coagents = ({ flow: own }: Pick<Envelope, 'flow'>): Coagent[] => (own?.coagent ? [own.coagent] : []);
  return [...coagents({ flow }), ...stages.flatMap((stage) => [stage, ...coagents(stage)])];
}

/** Rounded up: it is a bound. */
export function worstText({ requests, nanoUsd }: WorstCase): string {
  const cost =
    nanoUsd === null ? 'cost not known' : `at most $${(Math.ceil(nanoUsd / NANO_USD_OF_A_CENT) / 100).toFixed(2)}`;
  return `${formatRequestBound({ requests })} · ${cost}`;
}

/** Formats the maximum number of requests, such as "at most 20 requests". */
export function formatRequestBound({ requests }: Pick<WorstCase, 'requests'>): string {
  return `at most ${requests} ${requests === 1 ? 'request' : 'requests'}`;
}
