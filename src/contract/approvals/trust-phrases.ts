/** What a file of a folder does that asks for trust: phrases as those of `phrases.ts`, which they are a part of. */
interface Agent {
  isLead: boolean;
  name: string;
  /** Null: the lead's; of the lists, empty: none. */
  model: string | null;
  permissions: string | null;
  tools: string | null;
  description: string;
}

/** Agents that work together under one name; `rounds`: null where nothing bounds them. */
interface Composition {
  name: string;
  primary: string;
  coagent: string | null;
  type: string;
  rounds: number | null;
  description: string;
}

const listText = (list: string | null): string => (list === null ? "the lead's" : list || 'none');
const boundText = (rounds: number): string => `, at most ${rounds} ${rounds === 1 ? 'answer' : 'answers'}`;

export const TRUST = {
  trust_gone: (_: Record<string, never>) => 'no longer there',
  trust_settings: (_: Record<string, never>) =>
    'settings of the project: what its rules allow, limits lower than yours, where its sessions are kept',
  trust_agent: ({ isLead, name, model, permissions, tools, description }: Agent) =>
    `${isLead ? 'lead' : 'agent'} ${name} · model ${model ?? "the lead's"}` +
    ` · permissions ${listText(permissions)} · tools ${listText(tools)}: ${description}`,
  trust_composition: ({ name, primary, coagent, type, rounds, description }: Composition) =>
    `composition ${name} · primary ${primary} · coagent ${coagent ?? 'none'}` +
    ` · control flow ${type}${rounds === null ? '' : boundText(rounds)}: ${description}`,
} as const;
