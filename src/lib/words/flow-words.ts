/** The words about agents that take turns, and about chains of them. */
import type { Flow, RunKind } from '#contract/agent.ts';
import type { HandoffPrompt, OutputExpectation } from '#contract/flows/control-flow.ts';
import type { HandoffEntry } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { ChangedFile } from '#lib/view/handoffs.ts';
import type { Served } from '#contract/flows/stations.ts';
import { plural } from './sentences.ts';

/** Who ends the work, and what the other one does. */
function meaning(
  { type, coagent }: { type: Flow['type']; coagent?: { agent: string } | undefined },
  agent: string,
): string {
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

function counts({ added, removed }: Pick<ChangedFile, 'added' | 'removed'>): string {
  return added === null || removed === null ? '' : `+${added} −${removed}`;
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

/** One line for each handoff: whom it goes to, or what came back. */
function handoff({ from, to, runId, round, rounds, back }: HandoffEntry): string {
  if (back) return `← ${from}${verdict(back)}`;
  return runId === null ? `Again, round ${round + 1} of ${rounds}` : `→ ${to}, round ${round} of ${rounds}`;
}

function verdict({ outcome, review }: NonNullable<HandoffEntry['back']>): string {
  if (outcome !== 'completed') return ` ${ENDS[outcome]}`;
  if (!review) return ' answers';
  if (!review.verdict) return ': its verdict could not be read';
  const { passed, score } = review.verdict;
  return `: ${passed ? 'approved' : 'wants changes'}${score === null ? '' : `, ${score} of 100`}`;
}

const ENDS: Readonly<Record<Exclude<Outcome, 'completed'>, string>> = {
  partial: 'did not finish',
  cancelled: 'was stopped',
  rejected: 'was not allowed',
  timed_out: 'ran out of time',
  budget_exceeded: 'used up its budget',
  refused: 'declined',
  error: 'failed',
  interrupted: 'was interrupted',
};

export const flowWords = {
  handoff,
  itsWork: (agent: string) => `What ${agent} did`,
  says: (agent: string) => `${agent} says`,
  changed: (agent: string) => `${agent} changed`,
  files: (files: number, lines: Pick<ChangedFile, 'added' | 'removed'> | null) =>
    `${plural(files, 'file', 'files')}${lines === null ? '' : ` ${counts(lines)}`}`,
  counts,
  chain: 'Chain',
  supersededAnswer: (score: number | null) => `Superseded answer${score === null ? '' : `, ${score} of 100`}`,
  /** The answer that a lead passed to a stage. */
  passedAnswer: (agent: string) => `Passed to ${agent}`,
  toCome: 'to come',
  notReached: 'not reached',
  // Of a chain all agents count, as in the question about it. `place`: how many are before it; `stages`: follow the first.
  link: (place: number, stages: number, agent: string) => `Agent ${place + 1} of ${stages + 1}, ${agent}`,
  stageOf: (place: number, stages: number) => `agent ${place + 1} of ${stages + 1}`,
  stageNumber: (place: number) => `agent ${place + 1} of its chain`,
  stageCount: (stages: number) => plural(stages + 1, 'agent', 'agents'),
  round: (round: number) => `round ${round}`,
  used: (rounds: number, of: number) => `round ${rounds} of ${of}`,
  /** Of a stage, or of a round with a coagent: whose it is. */
  serving: (kind: RunKind, agent: string, place: number, of: number) =>
    kind === 'chain' ? `agent ${place + 1} of ${of + 1}, after ${agent}` : `round ${place} of ${of}, for ${agent}`,
  serves: 'Works for',
  servedBy: 'Served by',
  types,
  meaning,
  rounds: (value: number) => (value === 1 ? 'one round' : `at most ${value} rounds`),
  /** The picture. */
  picture: 'Who works, in order',
  /** A composition has its own name beside that of its agent. */
  as: (primary: string) => `as ${primary}`,
  then: ({ format }: Pick<OutputExpectation, 'format'>) => `passes on ${formats[format]}`,
  roles: (role: Served['role']) =>
    role.kind === 'stage' ? `agent ${role.place + 1} of the chain` : `works with ${role.of}`,
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
