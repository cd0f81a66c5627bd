/** The words of rules that are changed, and of what a change would decide. */
import type { Effect } from '#contract/permission.ts';
import type { RuleDanger, RuleScope, UntoldCall } from '#contract/permissions/rule-edit.ts';
import { plural } from './sentences.ts';

const would: Readonly<Record<Effect, string>> = {
  deny: 'would be denied',
  ask: 'would be asked about',
  allow: 'would be allowed without a question',
};
const now: Readonly<Record<Effect, string>> = {
  deny: 'denied now',
  ask: 'that you are asked about now',
  allow: 'allowed now',
};
const as: Readonly<Record<Effect, string>> = { deny: 'denied', ask: 'a question', allow: 'allowed' };

const ruleOf = (id: string): string => {
  const [scope, number] = id.split(':');
  return scope === 'project' ? `rule ${number} of the project` : `your rule ${number}`;
};

export const rulesWords = {
  add: 'Add rule',
  edit: 'Edit',
  remove: 'Remove',
  editLabel: (sentence: string) => `Edit: ${sentence}`,
  removeLabel: (sentence: string) => `Remove: ${sentence}`,
  sentence: (effect: string, about: string, pattern: string | null) =>
    pattern === null ? `${effect} ${about}` : `${effect} ${about} on ${pattern}`,
  undo: 'Undo',
  moveUp: (sentence: string) => `Move up: ${sentence}`,
  moveDown: (sentence: string) => `Move down: ${sentence}`,
  moved: (sentence: string, place: number) => `Moved to place ${place}: ${sentence}`,
  place: 'Place in its file',
  placeOf: (place: number, count: number) => `Place ${place} of ${count}`,
  thisRule: 'this rule',
  removed: (sentence: string) => `Removed: ${sentence}`,
  saved: (sentence: string) => `Saved: ${sentence}`,
  undone: 'The file is as it was before.',
  actions: 'Change',
  decides: (looked: number) => `Of last ${looked}`,
  decidesTitle: (looked: number) =>
    `How many of the last ${plural(looked, 'call', 'calls')} in this folder each rule decides`,
  never: (by: string) => `Never decides: ${ruleOf(by)} always does before it.`,
  idle: 'Does not hold: nobody has trusted the project’s file as it is.',
  fault: (scope: RuleScope) =>
    scope === 'user' ? 'Your file cannot be changed here:' : 'The project’s file cannot be changed here:',
  newTitle: 'A new rule',
  editTitle: 'Change a rule',
  effect: 'Effect',
  about: 'Tool or permission',
  aboutHint: '* stands for any part of a name',
  pattern: 'On',
  patternHint: 'Empty: anything. ** stands for any folders',
  agent: 'Agent',
  agentHint: 'Empty: all',
  file: 'Written in',
  files: { user: 'your settings', project: 'the project' } satisfies Record<RuleScope, string>,
  holds: {
    user: 'Holds in every folder.',
    project: 'Holds in this folder only.',
  } satisfies Record<RuleScope, string>,
  anyServer: (server: string) => `It is about any MCP server named ${server}, whatever that starts.`,
  save: 'Save rule',
  saving: 'Saving…',
  cancel: 'Cancel',
  reload: 'Look again',
  failed: 'The rule cannot be saved like this',
  looking: 'Looking at the last calls…',
  preview: 'What it would decide',
  decided: (looked: number, decides: number) =>
    looked === 0
      ? 'No agent has called anything in this folder yet.'
      : `Of the last ${plural(looked, 'call', 'calls')} here it decides ${decides}${decides === 0 ? '.' : ':'}`,
  turn: (before: Effect, after: Effect, count: number) =>
    before === after
      ? `${count} ${count === 1 ? 'stays' : 'stay'} ${as[after]}`
      : `${count} ${now[before]} ${would[after]}`,
  changed: 'Calls that it changes',
  from: 'now',
  to: 'then',
  untold: (count: number) => `Of ${plural(count, 'call', 'calls')} nobody can tell`,
  why: {
    arguments: 'its arguments were cut off, or did not fit',
    tool: 'there is no such tool now',
    gone: 'what it was about is not there any more, or not as it was',
    refused: 'its tool refuses it, whatever rules say',
  } satisfies Record<UntoldCall['why'], string>,
  again: 'As if each were made again now. What was granted counts as it does now; a run with --approve does not.',
  dangers: {
    spawns: 'starts a temporary sub-agent',
    starts: 'starts a sub-agent',
    irreversible: 'cannot be undone',
    outside: 'reaches beyond the folder',
  } satisfies Record<RuleDanger, string>,
  warnings: {
    spawns:
      'It lets temporary sub-agents start without a question. Their lead chooses their names, prompts and tools, up to all that it has itself.',
    starts:
      'It lets sub-agents start without a question: the agents that it names, with whatever task their lead gives them.',
    irreversible: 'It can let through what cannot be undone, without a question.',
    outside: 'It can let through what reaches beyond this folder, such as the network, without a question.',
  } satisfies Record<RuleDanger, string>,
  loosened: (count: number) =>
    count === 1
      ? '1 of these calls starts a sub-agent, cannot be undone or reaches beyond the folder.'
      : `${count} of these calls start a sub-agent, cannot be undone or reach beyond the folder.`,
  startsNothing:
    'It does not allow the start of sub-agents: a rule for that names the tool whole, and a pattern; for temporary ones, in your own settings.',
  bothNames: (pattern: string) =>
    `It lets no temporary sub-agent start: its pattern must match both the name and “spawned:” before the name, as ${pattern} does.`,
  losesTrust: 'The project’s file is trusted as it is. Changed, it allows nothing until you trust it again.',
  untrusted:
    'It will not hold yet: what a project’s file allows counts only after you have trusted the file as it is then.',
  neverDecides: (by: string) => `It would never decide: ${ruleOf(by)} always does before it.`,
  fromCall: 'Make a rule from this call',
  unnamed: 'No rule can allow this call alone: it begins as one that asks.',
} as const;
