/**
 * What is said to a person about a question, what decided it, agents' files, and undos: a key and its values, which a screen puts into the
 * language of its reader. What stands here is English, for terminals, models and files. None ends in a stop.
 */
import type { ApprovalMode } from '../agent.ts';
import { FAULTS } from '../agents/fault-phrases.ts';
import type { Bound } from '../message.ts';
import type { Effect, GrantScope } from '../permission.ts';
import { STORE } from './store-phrases.ts';
import { TRUST } from './trust-phrases.ts';
import { UNDO } from './undo-phrases.ts';
import type { Phrase } from './phrase.ts';

interface LimitValues {
  name: Bound['name'];
  value: number;
}

/** Formats a limit. Requests are called turns, as on the screen. */
function formatLimit({ name, value }: LimitValues): string {
  const number = value.toLocaleString('en-US', { maximumFractionDigits: 9 });
  if (name === 'costUsd') return `$${Number.isInteger(value * 100) ? value.toFixed(2) : number}`;
  const unit = { tokens: 'token', minutes: 'minute', iterations: 'turn' }[name];
  return `${number} ${unit}${value === 1 ? '' : 's'}`;
}

interface RuleValues {
  effect: Effect;
  scope: 'user' | 'project';
  tool: string | null;
  permission: string | null;
  agent: string | null;
  pattern: string | null;
  file: string | null;
  line: number;
}

const VERBS = { deny: 'denies', ask: 'asks about', allow: 'allows' } as const satisfies Record<Effect, string>;
const SCOPES = {
  workflow: 'in this workflow',
  conversation: 'in this conversation',
  project: 'always for this project',
} as const satisfies Record<GrantScope, string>;
const MODES = {
  manual: 'Each of its own actions that writes a file or reaches out will be asked about first',
  selective:
    'Of its own actions, those of low risk, such as making a new file, will not be asked about; the others will',
  auto: 'Its own actions will not be asked about where they can be undone, or where it says so of a plan in its own words',
} as const satisfies Record<ApprovalMode, string>;

const ASKS_UNLESS_NAMED = 'Triad asks before each write, unless a rule or a grant names the file';

const countText = (files: number): string => (files === 1 ? ' with 1 file' : ` with ${files} files`);

/** `files`: null for a single file. */
function sizeText({ path, files, bytes }: { path: string; files: number | null; bytes: number }): string {
  return `${path}${files === null ? '' : `/${countText(files)}`} (${bytes === 1 ? '1 byte' : `${bytes} bytes`})`;
}

function ruleText({ effect, agent, tool, permission, pattern, scope, file, line }: RuleValues): string {
  const what = tool === null ? `what needs ${permission}` : `the tool ${tool}`;
  const who = agent === null ? 'all agents' : `the agent ${agent}`;
  const where = pattern === null ? '' : ` on ${pattern}`;
  const whose = scope === 'user' ? 'Your rule' : "The project's rule";
  return `${whose} ${VERBS[effect]} ${what}${where} for ${who}${file === null ? '' : ` (${file}:${line})`}`;
}

export const ENGLISH = {
  // Titles. `change`: such as ` (+2 −1)`, or empty.
  write: ({ path, change }: { path: string; change: string }) => `Write ${path}${change}`,
  edit: ({ path, change }: { path: string; change: string }) => `Edit ${path}${change}`,
  delete: ({ path }: { path: string }) => `Delete ${path}`,
  move: ({ path, to }: { path: string; to: string }) => `Move ${path} to ${to}`,
  run: ({ command }: { command: string }) => `Run ${command}`,
  /** Where the shell stands in another folder than the workspace's own. */
  run_in: ({ command, folder }: { command: string; folder: string }) => `In ${folder}, run ${command}`,
  read_address: ({ address }: { address: string }) => `Read ${address}`,
  read_unredacted: ({ path }: { path: string }) => `Read ${path} with its keys`,
  search_web: ({ query }: { query: string }) => `Search the web for “${query}”`,
  use: ({ tool }: { tool: string }) => `Use ${tool}`,
  /** `tool`: null for its resources. */
  use_of_server: ({ tool, server }: { tool: string | null; server: string }) =>
    `Use ${tool ?? 'the resources'} of the MCP server ${server}`,
  go_on: ({ action }: { action: string }) => `Go on with this: ${action}`,
  questions: ({ count }: { count: number }) => `${count} questions to you`,
  /** In an agent's own words. */
  own_words: ({ words }: { words: string }) => words,
  server_asks: ({ server, message, page, pages }: { server: string; message: string; page: number; pages: number }) =>
    `The MCP server ${server} asks: ${message}${pages === 1 ? '' : ` (${page} of ${pages})`}`,
  server_samples: ({ server }: { server: string }) => `The MCP server ${server} wants a model's answer`,
  keep_control_files: ({ count }: { count: number }) =>
    `Keep the changes to ${count === 1 ? 'a file' : `${count} files`} that can start programs?`,
  batch: ({ count, names }: { count: number; names: string }) =>
    `Run ${count === 1 ? 'a batch of one agent' : `${count} agents at the same time`}: ${names}?`,
  delegate: ({ title, name }: { title: string; name: string }) => `Delegate "${title}" to ${name}?`,
  spawn: ({ title, name, background }: { title: string; name: string; background: boolean }) =>
    `Start the sub-agent ${name} for "${title}"${background ? ' in the background' : ''}?`,
  run_again: ({ title, name }: { title: string; name: string }) => `Run ${name} again, for "${title}"?`,
  // What a yes means.
  asked_again: ({ run, session }: { run: string; session: string }) =>
    `You asked for run ${run} of session ${session} again, with the settings that it had. Files are as they are now. Its lead goes on with the report`,
  makes_file: ({ path, folder }: { path: string; folder: string }) => `Makes the file ${path} in ${folder}`,
  replaces_content: ({ path, folder }: { path: string; folder: string }) =>
    `Replaces the content of ${path} in ${folder}`,
  is_there: ({ path }: { path: string }) => `${path} has exactly this content already: nothing is written`,
  deletes: ({ folder, ...of }: { path: string; files: number | null; bytes: number; folder: string }) =>
    `Deletes ${sizeText(of)} in ${folder}`,
  moves: ({ folder, ...of }: { path: string; files: number | null; bytes: number; folder: string }) =>
    `Moves ${sizeText(of)} in ${folder}`,
  in_it: ({ names, more }: { names: string; more: number }) => `In it: ${names}${more > 0 ? ` and ${more} more` : ''}`,
  undoable: (_: Record<string, never>) => 'This can be undone',
  in_sandbox: ({ folder, reads, network }: { folder: string; reads: boolean; network: boolean }) =>
    `In a sandbox: ${reads ? `it can read files in ${folder}` : `it can change files in ${folder} and nowhere else`}, and ${network ? 'it reaches the network' : 'it does not reach the network'}`,
  starts_in: ({ folder }: { folder: string }) => `It begins in ${folder}, where an earlier command has left the shell`,
  ended_after: ({ seconds, background }: { seconds: number; background: boolean }) =>
    `It ${background ? 'goes on in the background' : 'runs'} for at most ${seconds} s`,
  no_sandbox: (_: Record<string, never>) =>
    'No sandbox protects this folder: the command can do whatever you can do. It reaches the network and Triad’s own folders, and no rule allows it unasked',
  in_terminal: (_: Record<string, never>) =>
    'In a terminal of the client that opened this session, outside of the sandbox: the command can do whatever you can do, with Triad’s own folders too',
  terminal_network: ({ wanted }: { wanted: boolean }) =>
    wanted ? 'It reaches the network' : 'It reaches the network, though the agent asked for a shell without',
  never_unasked: (_: Record<string, never>) => 'No rule allows it unasked',
  changes_stay: (_: Record<string, never>) => 'What it changes cannot be undone',
  control_files: (_: Record<string, never>) =>
    'A command changed them in the sandbox. They start or configure programs outside of it, such as git and MCP servers',
  put_back_control_files: (_: Record<string, never>) =>
    'A no puts the files back, and moves the changed versions to a folder of Triad. Until you answer, nothing starts outside the sandbox in this workspace',
  use_replaced_folder: ({ folder }: { folder: string }) => `The workspace folder was replaced: use the new ${folder}?`,
  replaced_folder: (_: Record<string, never>) =>
    'Another folder has this path since Triad first used it. No tool reaches it until you allow that',
  later_calls: (_: Record<string, never>) =>
    'A yes holds for the next calls. This call stays refused, because it was meant for the other folder',
  limit_of_run: ({ agent, ...limit }: LimitValues & { agent: string }) =>
    `${agent} reached its limit of ${formatLimit(limit)}`,
  limit_of_workflow: (limit: LimitValues) => `This workflow reached its limit of ${formatLimit(limit)}`,
  extend_or_finish: ({ more }: { more: LimitValues }) =>
    `It waits for you. Extend the limit by ${formatLimit(more)}, let it finish with one last request, or stop it`,
  were_put_back: ({ paths, folder }: { paths: string; folder: string }) =>
    `put back as before the command: ${paths} (the changed versions are in ${folder})`,
  writes_nothing: (_: Record<string, never>) => 'It can write nothing there',
  sent_stays: (_: Record<string, never>) => 'What it sends and what it changes cannot be undone',
  background_stays: (_: Record<string, never>) => 'What it changes while it runs in the background cannot be undone',
  git_stays: (_: Record<string, never>) => 'What git stores in .git cannot be undone',
  nothing_kept: (_: Record<string, never>) =>
    'What it changes cannot be undone: there is no git, or the folder is too large',
  not_kept: ({ paths, more }: { paths: string; more: number }) =>
    `What it changes in ${some(paths, more)} could not be undone: git ignores it, or it cannot be kept`,
  kept_but: ({ paths, more }: { paths: string; more: number }) =>
    `What it changes can be undone, except in ${some(paths, more)}, which git ignores`,
  kept: (_: Record<string, never>) => 'What it changes can be undone',
  address_told: (_: Record<string, never>) =>
    'It reads this address, without anything by which its server could know you; what stands in the address is told to it',
  shows_keys: ({ path, names }: { path: string; names: string }) => `${path} contains: ${names}`,
  keys_sent: (_: Record<string, never>) =>
    'If you allow this, the keys are sent to the model and stay in the history of this conversation. Its agents can then read this file with its keys until the file changes',
  keys_for_person: (_: Record<string, never>) => 'Only you can allow a file with its keys',
  query_sent: ({ host }: { host: string | null }) =>
    `The query is sent to ${host ?? 'nobody, because no search is set up'}`,
  rule_wants: (_: Record<string, never>) => 'A rule, or the definition of this agent, wants you to be asked about this',
  other_arguments: ({ server }: { server: string }) =>
    `${server} wants other arguments for this tool than when you last agreed to it`,
  other_words: ({ server }: { server: string }) =>
    `${server} describes this tool in another way than when you last agreed to it`,
  new_tool: ({ server }: { server: string }) => `${server} did not have this tool when you set it up`,
  server_reads: ({ server }: { server: string }) => `It reads through the server “${server}”`,
  server_changes: ({ server }: { server: string }) =>
    `What it changes, only the server “${server}” knows: it cannot be undone here`,
  sampled: (_: Record<string, never>) => 'It is asked of the model of this agent, and paid like its own requests',
  sub_agent: (_: Record<string, never>) =>
    'A sub-agent is told its system prompt and its prompt, nothing else of this conversation, and hands back one report',
  in_background: (_: Record<string, never>) => 'It works in the background: its lead goes on meanwhile',
  // What a sub-agent's own actions will ask.
  all_yes: (_: Record<string, never>) =>
    'This workflow is run with a yes to everything that no rule denies: nothing will be asked',
  all_no: (_: Record<string, never>) => 'This workflow is run with a no to every question',
  no_writer: (_: Record<string, never>) => 'It has no tool that writes files or reaches out',
  mode: ({ mode }: { mode: ApprovalMode }) => MODES[mode],
  steering: (_: Record<string, never>) =>
    'Files that run code or steer programs are asked about unless a rule or a grant names them',
  /** Sentences about each of it follow. */
  decided_before: (_: Record<string, never>) =>
    'What was decided before goes before that (denying first, then the project’s file before yours, and in one file asking before allowing)',
  // What decided a call.
  rule: ruleText,
  grant: ({ agent, tool, pattern, scope }: { agent: string; tool: string; pattern: string; scope: GrantScope }) =>
    `You allowed ${agent} to use ${tool} on ${pattern} ${SCOPES[scope]}`,
  definition_asks: ({ what }: { what: string }) => `Its definition wants you to be asked about ${what}`,
  requires: ({ agent, what }: { agent: string; what: string }) =>
    `The definition of ${agent} requires approval for ${what}`,
  changes_nothing: ({ tool }: { tool: string }) => `${tool} changes nothing outside: it is not asked about`,
  irreversible_named: ({ tool }: { tool: string }) =>
    `What cannot be undone is asked about unless a rule or a grant of yours names ${tool} and a pattern`,
  start_named: ({ tool }: { tool: string }) =>
    `The start of a sub-agent is asked about unless a rule names ${tool} and a pattern`,
  spawn_named: ({ tool }: { tool: string }) =>
    `The start of a temporary sub-agent is asked about unless a rule in your own file names ${tool} and a pattern`,
  irreversible: (_: Record<string, never>) => 'What cannot be undone is always asked about',
  mode_allows: ({ mode }: { mode: ApprovalMode }) =>
    `The approval mode ${mode} allows ${mode === 'auto' ? 'what can be undone' : 'what is of low risk'}`,
  // Reasons for which a rule with wildcards does not allow a command.
  not_simple: (_: Record<string, never>) =>
    'The line is more than simple commands: only a rule or a grant for this whole line allows it',
  runs_unseen_code: ({ program }: { program: string }) =>
    `${program} can run other programs here: only a rule or a grant without wildcards allows it`,
  option_not_listed: ({ command, option }: { command: string; option: string }) =>
    `${command}: ${option} is not in the list of options that rules with wildcards may allow`,
  git_command_not_listed: ({ command }: { command: string }) =>
    `${command} is not in the list of commands that rules with wildcards may allow`,
  no_rule: ({ tool }: { tool: string }) => `Where no rule decides, ${tool} is asked about`,
  steers: ({ path, program }: { path: string; program: string }) =>
    `${path} steers ${program}, which can run code: ${ASKS_UNLESS_NAMED}`,
  starts_server: ({ path }: { path: string }) => `An MCP server is started from ${path}: ${ASKS_UNLESS_NAMED}`,
  listed: ({ path, list }: { path: string; list: string }) => `${path} is in ${list}: ${ASKS_UNLESS_NAMED}`,
  to_you: (_: Record<string, never>) => 'An agent’s questions always come to you',
  ...FAULTS,
  ...UNDO,
  ...TRUST,
  ...STORE,
} as const;

function some(paths: string, more: number): string {
  return `${paths}${more > 0 ? ` and ${more} more` : ''}`;
}

export type PhraseKey = keyof typeof ENGLISH;
type ValuesOf<K extends PhraseKey> = Parameters<(typeof ENGLISH)[K]>[0];

/** What is said by `key`, with its values. */
export function phrase<K extends PhraseKey>(
  key: K,
  ...[values]: Record<string, never> extends ValuesOf<K> ? [] : [ValuesOf<K>]
): Phrase {
  return { key, values: { ...(values as Phrase['values'] | undefined) } };
}

/** In English, without a stop. Only of what this version says. */
export function sentenceOf({ key, values }: Phrase): string {
  return (ENGLISH as unknown as Readonly<Record<string, (values: Phrase['values']) => string>>)[key]!(values);
}
