/** The words about agents that take turns, and about chains of them. */
import type { Flow } from '#contract/agent.ts';
import type { HandoffPrompt, OutputExpectation } from '#contract/flows/control-flow.ts';
import type { Served } from '#lib/view/stations.ts';
import { plural } from './sentences.ts';

/** Who ends the work, and what the other one does. */
function meaning({ type, coagent }: { type: Flow['type']; coagent?: { agent: string } }, agent: string): string {
  const other = coagent?.agent ?? '';
  switch (type) {
    case 'hitl':
      return `${agent} answers once; you say how it goes on.`;
    case 'loop':
      return other === ''
        ? `${agent} goes on by itself until it says that the task is complete.`
        : `${other} says after each answer what comes next, until ${agent} says that the task is complete.`;
    case 'judge':
      return `${other} reads each answer and approves it, or says what is missing. It changes nothing.`;
    case 'smart':
      return `${other} approves each answer, says what is missing, or finishes the work itself.`;
    case 'chat':
      return `${agent} and ${other} take turns until ${other} says that the task is complete.`;
  }
}

/** What each control flow is called. */
const types: Readonly<Record<Flow['type'], string>> = {
  hitl: 'one answer',
  loop: 'loop',
  judge: 'judge',
  smart: 'smart judge',
  chat: 'two take turns',
};

const handoffTypes: Readonly<Record<HandoffPrompt['type'], string>> = {
  static: 'word for word',
  template: 'with variables',
  generated: 'a model writes it from these instructions',
};

const formats = { text: 'text', markdown: 'Markdown', json: 'JSON' } as const;

export const flowWords = {
  types,
  meaning,
  rounds: (value: number) => (value === 1 ? 'one round' : `at most ${value} rounds`),
  /** The picture. */
  picture: 'Who works, in order',
  /** A composition has its own name beside that of its agent. */
  as: (primary: string) => `as ${primary}`,
  works: 'does the work',
  turns: 'take turns',
  then: ({ format }: Pick<OutputExpectation, 'format'>) => `hands over ${formats[format]}`,
  place: (place: number, places: number) => `${place} of ${places}`,
  roles: (role: Served['role']) => (role.kind === 'stage' ? `stage ${role.place}` : `works with ${role.of}`),
  summary: (tools: number, turns: number) => `${plural(tools, 'tool', 'tools')}, ${plural(turns, 'turn', 'turns')}`,
  told: (agent: string) => `What ${agent} is told`,
  toldHow: handoffTypes,
  output: 'Its last message',
  outputIs: ({ format, schema }: Pick<OutputExpectation, 'format' | 'schema'>) =>
    `${formats[format]}${schema === null ? '' : ' of this form'}`,
  schema: 'Form of its last message',
  instructions: 'Instructions of the project',
  /** Before the first message to a composition. */
  choosing: 'With your first message you say yes to all of them, as they stand here.',
  leads: 'leads',
  cannotLead: 'It cannot lead here',
  compositions: 'Compositions',
  agents: 'Agents',
  instruction: (path: string, cut: boolean) => (cut ? `${path} (its beginning)` : path),
} as const;
