/** The words of the permissions page, and of what decided a question. */
import type { ApprovalMode } from '#contract/agent.ts';
import { grantIdOf } from '#contract/grant-id.ts';
import type { Effect, Grant, GrantScope, VerdictStep } from '#contract/permission.ts';
import { plural } from './sentences.ts';

const scopes: Readonly<Record<GrantScope, string>> = {
  workflow: 'in one workflow',
  conversation: 'in one conversation',
  project: 'always for this project',
};

/** What decides where neither a rule nor a grant of a file or a person does. */
const others: Readonly<Record<string, string>> = {
  'approve:all': 'everything of this workflow was to be allowed',
  'approve:none': 'everything of this workflow was to be answered no',
  'mode:auto': 'by the approval mode auto',
  'mode:selective': 'by the approval mode selective',
  default: 'by the default',
  ceiling: 'the agent does not have this tool',
  fault: 'the rules, or the call, could not be understood',
  'agent:requires_approval': 'by the definition of the agent',
};

/** A rule's number is its place in its file when it decided. */
function byRule(ruleId: string): string {
  const [scope, number] = ruleId.split(':');
  if (grantIdOf(ruleId) !== null) return 'by a grant';
  if (scope === 'user') return `by rule ${number} of your settings`;
  if (scope === 'project') return `by rule ${number} of the project`;
  return others[ruleId] ?? `by ${ruleId}`;
}

const modeNames: Readonly<Record<ApprovalMode, string>> = { manual: 'manual', selective: 'selective', auto: 'auto' };
const modes: Readonly<Record<ApprovalMode, string>> = {
  manual: 'You are asked before every sub-agent, and about everything that writes files or reaches out.',
  selective: 'As manual, but what is of low risk, such as making a new file, is not asked about.',
  auto: 'Only what cannot be undone, or is said not to be, is asked about, and files that run code or steer programs.',
};

/** The tool whose patterns are names of agents. */
const STARTS = 'delegate_task';

export const permissionsWords = {
  title: 'Permissions',
  failed: 'The permissions could not be loaded',
  mode: (mode: ApprovalMode) => `Where no rule says anything: ${modeNames[mode]}`,
  modes,
  modeNames,
  changeMode: 'Change it in the settings',
  always: [
    'Triad asks about reading and searching in the folder only if a rule or an agent’s definition says so.',
    'Keys in files are redacted. Triad always asks before an agent reads a file with its keys.',
    'Deny wins over everything; what cannot be undone is always asked about, with a second step. One run of the terminal with --approve all is the exception: that is your word for it.',
    'Files that run code or steer programs are asked about before they are written, unless a rule or a grant names them, or the run is one of --approve all.',
    'Files that usually hold keys or passwords are neither read nor written, nor are Triad’s own folders, but for the notes of sessions that a lead reads.',
  ],
  untrusted: 'The project’s rules may only deny or ask: nobody has trusted its file as it is.',
  toTrust: 'Look at it',
  unsignedGrants: (count: number) =>
    `Grants that another installation wrote to the shared store are ignored: ${count}.`,
  faultsMean: 'Until this is put right, no call of a tool goes through.',
  rules: 'Rules',
  rulesHint: 'In the order in which they are written. They hold from the moment that their file is saved.',
  noRules: 'There are no rules for this folder.',
  noRulesHint: 'Rules stand under [[permissions.rules]] in config.toml, yours or the project’s .triad/config.toml.',
  effects: { deny: 'deny', ask: 'ask', allow: 'allow' } satisfies Record<Effect, string>,
  rule: {
    effect: 'Effect',
    what: 'Tool or permission',
    pattern: 'On',
    agent: 'Agent',
    scope: 'Whose',
    place: 'Written in',
  },
  ruleScopes: { user: 'yours', project: 'the project’s' },
  anything: 'anything',
  all: 'all',
  grants: 'Grants',
  grantsHint:
    'What you allowed for more than once. Revoking one takes effect with the next call: it allows nothing any more.',
  noGrants: 'Nothing is granted in this folder.',
  noGrantsHint: 'A question offers it under “More than once…”.',
  grantSentence: ({ agent, tool, pattern }: Pick<Grant, 'agent' | 'tool' | 'pattern'>) =>
    tool === STARTS ? `${agent} may start ${pattern}` : `${agent} may use ${tool} on ${pattern}`,
  scopes,
  given: (when: string) => `given ${when}`,
  until: (when: string) => `ends ${when}`,
  used: (calls: number, most: number | null) =>
    most === null
      ? `used ${plural(calls, 'time', 'times')}`
      : `${plural(most - calls, 'call', 'calls')} left of ${most}`,
  revokedAt: (when: string) => `revoked ${when}`,
  ended: 'has ended',
  revoke: 'Revoke',
  revokeLabel: (sentence: string) => `Revoke: ${sentence}`,
  revoked: (agent: string, tool: string, pattern: string) =>
    `Revoked: it no longer allows ${agent} to ${tool === STARTS ? `start ${pattern}` : `use ${tool} on ${pattern}`}`,
  conversation: 'Open conversation',
  explainer: 'Try a call',
  explainerHint: 'Says whether it would be allowed, asked about or denied, and why. Nothing is asked, run or counted.',
  agent: 'Agent',
  tool: 'Tool',
  within: 'Where',
  nowhere: 'a new conversation',
  inConversation: (title: string) => `in “${title}”`,
  inWorkflow: 'in the workflow that asked',
  arguments: 'Arguments (JSON)',
  fields: { path: 'Path', pattern: 'Pattern', agent_id: 'Sub-agent', name: 'Its name' } as Readonly<
    Record<string, string>
  >,
  explain: 'Explain',
  explaining: 'Looking…',
  notJson: (why: string) => `This is not JSON: ${why}`,
  explainFailed: 'This could not be explained',
  gone: 'This question is not there any more.',
  verdict: {
    deny: 'It is denied.',
    ask: 'You are asked.',
    allow: 'It is allowed without a question.',
  } satisfies Record<Effect, string>,
  chain: 'What was looked at, in this order',
  decides: 'decides',
  kinds: {
    ceiling: 'what the agent has',
    rule: 'rule',
    grant: 'grant',
    agent: 'its definition',
    default: 'default',
    fault: 'fault',
  } satisfies Record<VerdictStep['kind'], string>,
  place: (file: string, line: number | null) => (line === null ? file : `${file}:${line}`),
  byRule,
  why: 'Why?',
  /** Above why something was decided in the past. */
  asNow: 'As the rules and grants are now:',
  seeGrant: 'See the grant, or revoke it',
  granted: 'Granted with this answer',
  grantsOfWorkflow: 'Grants',
  /** In the line of a call. */
  callBy: { grant: 'by a grant', rule: 'by a rule' },
} as const;
