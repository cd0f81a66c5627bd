/** The hue of an agent, as classes: of its name, of an edge beside what it does, of a bar. Its mark and name stand with it. */
import type { AgentMark } from '#contract/flows/agent-mark.ts';

interface Hue {
  text: string;
  edge: string;
  ground: string;
}

export const AGENT_HUES = {
  lead: { text: 'text-soft', edge: 'border-l-edge', ground: 'bg-soft' },
  first: { text: 'text-agent-first', edge: 'border-l-agent-first', ground: 'bg-agent-first' },
  second: { text: 'text-agent-second', edge: 'border-l-agent-second', ground: 'bg-agent-second' },
  third: { text: 'text-agent-third', edge: 'border-l-agent-third', ground: 'bg-agent-third' },
} as const satisfies Readonly<Record<AgentMark, Hue>>;
