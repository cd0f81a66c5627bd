/** An envelope as a picture has it: the agents that work one after another, each with the one that it takes turns with. Pure. */
import type { Coagent, Envelope, Flow } from '../agent.ts';
import type { HandoffPrompt } from './control-flow.ts';

/** An agent that serves the run of the envelope. */
export interface Served {
  key: string;
  /** `stage`: its place in the chain, from 1. */
  role: { kind: 'coagent'; of: string } | { kind: 'stage'; place: number };
  agent: Coagent;
  /** What a coagent is told; null for a stage, which is told what the one before it gave. */
  handoff: HandoffPrompt | null;
}

/** One place of the picture, in the order of work; the first is the run itself. */
export interface Station {
  place: number;
  agent: Coagent;
  flow: Flow | null;
}

export function stationsOf(envelope: Envelope): Station[] {
  return [envelope, ...envelope.stages].map((agent, place) => ({ place, agent, flow: agent.flow ?? null }));
}

/** All that serve it, in the order of the picture. */
export function servedBy(envelope: Envelope): Served[] {
  return stationsOf(envelope).flatMap(({ place, agent, flow }): Served[] => [
    ...(place === 0
      ? []
      : [{ key: `${place}`, role: { kind: 'stage', place } as const, agent, handoff: null } satisfies Served]),
    ...(flow?.coagent
      ? [
          {
            key: `${place}-coagent`,
            role: { kind: 'coagent', of: agent.agent } as const,
            agent: flow.coagent,
            handoff: flow.handoff,
          } satisfies Served,
        ]
      : []),
  ]);
}
