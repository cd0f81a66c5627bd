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

/** Location in which a program of a project's file starts. `no-sandbox`: no sandbox protects the folder. */
export type StartPlace = 'sandbox' | 'outside' | 'no-sandbox';

/** An MCP server of a project's file. */
interface ServerFacts {
  name: string;
  /** Its command with all arguments, or its address. */
  runs: string;
  isEnabled: boolean;
  /** Null: it is at an address. */
  place: StartPlace | null;
  /** Names of the variables or headers that its entry sets; empty for none. */
  sets: string;
  /** Names of the variables of the environment that it gets; empty for none. */
  gets: string;
}

const START_PLACES = {
  sandbox: 'runs in the sandbox, with the network',
  outside: 'runs outside the sandbox, with the network and all your permissions',
  'no-sandbox': 'runs without a sandbox, with the network and all your permissions',
} as const satisfies Record<StartPlace, string>;

const listText = (list: string | null): string => (list === null ? "the lead's" : list || 'none');
const boundText = (rounds: number): string => `, at most ${rounds} ${rounds === 1 ? 'answer' : 'answers'}`;

export const TRUST = {
  trust_gone: (_: Record<string, never>) => 'no longer there',
  trust_settings: (_: Record<string, never>) =>
    'settings of the project: what its rules allow, limits lower than yours, where its sessions are kept',
  trust_server: ({ name, runs, isEnabled, place, sets, gets }: ServerFacts) => {
    const verb = isEnabled ? (place === null ? 'reaches' : 'starts') : 'switched off:';
    const facts = [
      ...(place === null ? [] : [START_PLACES[place]]),
      ...(sets === '' ? [] : [`with ${sets}`]),
      ...(gets === '' ? [] : [`gets ${gets} of your environment`]),
    ];
    return `${verb} ${name}: ${runs}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
  },
  trust_server_fault: ({ name, fault }: { name: string; fault: string }) => `${name} cannot be used: ${fault}`,
  trust_agent: ({ isLead, name, model, permissions, tools, description }: Agent) =>
    `${isLead ? 'lead' : 'agent'} ${name} · model ${model ?? "the lead's"}` +
    ` · permissions ${listText(permissions)} · tools ${listText(tools)}: ${description}`,
  trust_composition: ({ name, primary, coagent, type, rounds, description }: Composition) =>
    `composition ${name} · primary ${primary} · coagent ${coagent ?? 'none'}` +
    ` · control flow ${type}${rounds === null ? '' : boundText(rounds)}: ${description}`,
} as const;
