/** The words of a question as a decision: what it may, with what, how much at most, why it is asked, and the ways to answer. */
import type { Permission } from '#contract/agent.ts';
import type { Leave, May, Summary } from '#contract/approvals/summary.ts';
import { minutes, usd, tokens as compactTokens, count } from '#lib/view/format.ts';
import { plural } from './sentences.ts';

const verbs: Readonly<Partial<Record<Permission, string>>> = {
  FilesystemRead: 'read',
  FilesystemWrite: 'write',
  Execute: 'run',
  NetworkAccess: 'net',
  DatabaseRead: 'read databases',
  DatabaseWrite: 'write databases',
};

const leaves: Readonly<Record<Leave, string>> = {
  no: 'no',
  all: 'asks you',
  some: 'asks you about some',
  none: 'without asking',
  refused: 'refused',
  held: 'yes',
};

/** One line of a block; `value` is what is compared with what was asked. */
export interface BlockLine {
  key: string;
  value: string;
  /** In the program's words, for whoever wants them. */
  hint: string;
  /** It is not had at all, and stands with others like it. */
  isNo?: boolean;
}

function mayLine({ permission, leave, tools }: May): BlockLine {
  const verb = verbs[permission] ?? permission;
  const value = permission === 'FilesystemRead' ? readWords(leave) : `${verb}: ${leaves[leave]}`;
  const hint = tools.length === 0 ? permission : `${permission}: ${tools.join(', ')}`;
  return { key: permission, value, hint, ...(leave === 'no' ? { isNo: true } : {}) };
}

/** To read and search the folder is what every agent has. */
function readWords(leave: Leave): string {
  if (leave === 'none' || leave === 'held') return 'read this folder';
  return leave === 'no' ? 'read: no' : `read this folder: ${leaves[leave]}`;
}

function withLines({ with: given }: Summary, elsewhere: boolean): BlockLine[] {
  const { provider, model, effort, folder, mcpServers } = given;
  return [
    { key: 'model', value: effort === null ? model : `${model}, effort ${effort}`, hint: `${provider}: ${model}` },
    ...(elsewhere ? [{ key: 'provider', value: `at ${provider}`, hint: 'provider' }] : []),
    { key: 'folder', value: `in ${folder}`, hint: 'folder' },
    ...(mcpServers.length === 0 ? [] : [{ key: 'mcp', value: `MCP: ${mcpServers.join(', ')}`, hint: 'mcp_servers' }]),
  ];
}

/** The limits that end the run; a limit that is not set has no line. */
function atMostLines({ atMost }: Summary): BlockLine[] {
  const { turns, costUsd, tokens, answerTokens } = atMost;
  const answer = `${compactTokens(answerTokens)} tokens an answer`;
  return [
    { key: 'turns', value: plural(turns, 'turn', 'turns'), hint: 'max_iterations' },
    ...(costUsd === null ? [] : [{ key: 'cost', value: usd(costUsd), hint: 'max_cost_usd' }]),
    ...(atMost.minutes === null
      ? []
      : [{ key: 'minutes', value: `${minutes(atMost.minutes)} min`, hint: 'max_minutes' }]),
    {
      key: 'tokens',
      value: tokens === null ? answer : `${compactTokens(tokens)} tokens, ${compactTokens(answerTokens)} an answer`,
      hint: `max_tokens: ${count(answerTokens)}`,
    },
  ];
}

function starting(agent: string, stages: number): string {
  return stages === 0 ? `${agent} wants` : `${stages + 1} agents, one after the other, want`;
}

/** Fields of a question as its form calls them, within a sentence. */
const editNames: Readonly<Record<string, string>> = {
  prompt: 'prompt',
  systemPrompt: 'system prompt',
  tools: 'tools',
  provider: 'provider',
  model: 'model',
  effort: 'effort',
  maxTokens: 'tokens per answer',
  maxIterations: 'turns',
  inactivityMs: 'inactivity limit',
  tokens: 'budget of tokens',
  costUsd: 'budget of dollars',
  minutes: 'budget of minutes',
  reflection: 'review',
  seesReports: 'reports of others',
  path: 'path',
  content: 'content',
  command: 'command',
  json: 'arguments',
  action: 'what it wants to do',
};

/** Returns the label of an edited field. A field of a coagent or stage ends with the agent in parentheses. */
export function nameEdit(field: string, names: Readonly<Record<string, string>>): string {
  const [, name = field, agent = ''] = /^(\w+)( \(.*\))?$/.exec(field) ?? [];
  return `${names[name] ?? name}${agent}`;
}

export const decisionWords = {
  /** `stages`: how many agents follow it in its chain. */
  starts: (agent: string, stages: number) => `${starting(agent, stages)} to start`,
  startsInBackground: (agent: string, stages: number) => `${starting(agent, stages)} to start in the background`,
  /** Without an answer. */
  left: { no: 'then no', yes: 'then yes', on: 'then it goes on without' },
  timeLeft: (time: string) => `${time} left`,
  decision: 'Your decision',
  task: 'Task',
  blocks: { may: 'may', with: 'with', atMost: 'at most' },
  mayLines: (summary: Summary) => summary.may.map(mayLine),
  withLines,
  atMostLines,
  was: (before: string) => `was: ${before}`,
  asFirst: (agent: string) => `same rights as ${agent}`,
  served: 'Who works with it',
  told: 'What it is told',
  systemPrompt: 'Its system prompt',
  ofDefinition: 'from its definition',
  /** A text that needs no reading, in one line that unfolds. */
  unchanged: {
    temporary: 'Built-in prompt of temporary agents, unchanged',
    prompt: {
      builtin: (agent: string) => `Built-in ${agent}, unchanged`,
      person: (agent: string) => `Your own ${agent}, unchanged`,
      trusted: (agent: string) => `Trusted ${agent} of this project, unchanged`,
    },
    text: {
      builtin: (label: string) => `${label}: built in, unchanged`,
      person: (label: string) => `${label}: from your own file, unchanged`,
      trusted: (label: string) => `${label}: from a trusted file, unchanged`,
    },
    allowedBefore: (label: string) => `${label}: you allowed exactly this text before`,
  },
  /** `tries`: how often it may try again. */
  criteria: (tries: string) => `What it reviews its answer against, ${tries}`,
  /** How long a text is. */
  lines: (value: number) => `(${plural(value, 'line', 'lines')})`,
  showAll: (value: number) => `Show all ${plural(value, 'line', 'lines')}`,
  showLess: 'Show less',
  asWritten: 'As written',
  notRendered: 'As it is written: formatted, parts of it would not be seen.',
  yourChanges: 'Your changes',
  details: 'Details and edit',
  edit: 'Edit',
  asJson: 'As JSON',
  why: 'Why am I asked?',
  whyFailed: 'Why could not be told',
  whyNone: 'An agent asks you itself: no rule decides that.',
  askedThen: (because: string) => `When it was asked: ${because}`,
  /** What the rules and grants say by now of what still waits. */
  since: {
    allow:
      'Since then a rule or a grant was saved that allows it without a question from now on. This question still waits for you.',
    deny: 'Since then a rule was saved that denies it from now on. This question still waits for you.',
  },
  once: {
    spawn:
      'It can be allowed once only: a temporary sub-agent has whatever name, prompt and tools its lead gives it, so a yes to one says nothing about the next. Only a rule in your own settings that names it can let it start without a question.',
    parallel:
      'A batch can be allowed once only. What you allowed for longer covers an agent that starts by itself, not one in a batch. A rule that names its agents can let a batch start without a question.',
  },
  inPermissions: 'Open in Permissions',
  rejectMore: 'Reject…',
  keep: 'Back',
  /** `fields`: those that were edited, of which there is one at least. */
  withEdits: (fields: readonly string[]) =>
    `with your ${fields.length === 1 ? 'edit' : 'edits'}: ${fields.map((field) => nameEdit(field, editNames)).join(', ')}`,
  command: 'Command',
  inFolder: (folder: string) => `in ${folder}`,
  parts: 'What of it is asked about',
  wholeLine: 'the whole line',
  /** `same`: what all of a batch have. */
  batch: (items: number, same: string) => `${items} at once, each: ${same}`,
  listKeys: '1–9 choose',
} as const;
