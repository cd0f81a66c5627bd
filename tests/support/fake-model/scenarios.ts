/** Ready scripts for the usual workflows; each call makes a fresh one. */
import type { Seen, SeenResult } from './request.ts';
import { type Block, type Blocks, type Match, type ReplyOptions, Script, text, toolUse } from './script.ts';

export interface ScenarioOptions {
  /** Pieces in which reports and answers are streamed. */
  deltas?: number;
  /** Applied to every reply that has no setting of its own. */
  reply?: ReplyOptions;
}

/** A lead is known by the sub-agent tools that only it is offered. */
export const LEAD: Match = { leads: true };
/** A message of the person; reports that a background sub-agent hands in later are not one. */
export const START: Match = { ...LEAD, step: 1, where: (seen) => !seen.asked.includes('# Report: ') };
export const CHILD: Match = { leads: false };
const REPORT_DELTAS = 40;

export interface SpawnInput {
  provider?: string;
  name: string;
  prompt: string;
  reason?: string;
  agent?: string;
  system_prompt?: string;
  tools?: string[];
  model?: string;
}

export function spawn(input: SpawnInput, id?: string): Block {
  return toolUse(
    'spawn_agent',
    { operation: 'spawn', reason: 'Look at one part', ...input },
    id === undefined ? {} : { id },
  );
}

export function delegateTo(agentId: string, prompt: string): Block {
  return toolUse('delegate_task', {
    operation: 'delegate',
    agent_id: agentId,
    prompt,
    reason: 'Ask the specialist agent',
  });
}

/** A Markdown report whose first line names the task. */
export function reportOf(task: string): string {
  const findings = Array.from(
    { length: 12 },
    (_, n) => `- Finding ${n + 1}: the part was read and is as it should be.`,
  );
  return `# Report: ${task}\n\n## Summary\n\n${task} is in good order.\n\n## Details\n\n${findings.join('\n')}\n`;
}

/** Quotes the first line of every report in the newest tool results. */
export function answerFrom(seen: Seen): string {
  const lines = seen.results.flatMap(firstLines).map((line) => `- ${line}`);
  return `All parts are done. The reports say:\n\n${lines.join('\n')}\n\n${'That is the whole answer. '.repeat(8).trim()}`;
}

/** The first line of each report of a result; of anything else, and of an error, its own first line. */
export function firstLines({ text: whole }: SeenResult): string[] {
  const reports = reportsIn(whole);
  return (reports.length > 0 ? reports : [whole]).map((words) => words.trim().split('\n')[0] || '(nothing)');
}

/** What a tool of sub-agents hands over: one report, or a list of them in `results`. */
interface Handed {
  report?: string;
  error?: string;
  results?: Handed[];
}

function reportsIn(whole: string): string[] {
  try {
    return wordsOf(JSON.parse(whole) as Handed | null);
  } catch {
    return [];
  }
}

function wordsOf(handed: Handed | null): string[] {
  if (Array.isArray(handed?.results)) return handed.results.flatMap(wordsOf);
  const words = handed?.report || handed?.error;
  return typeof words === 'string' ? [words] : [];
}

/** Eight requests: the lead starts three at once, each makes one call and reports, the lead quotes the reports. */
export function threeChildren(options: ScenarioOptions = {}): Script {
  const script = new Script();
  const names = ['alpha', 'beta', 'gamma'];
  const calls = names.map((name) => spawn({ name, prompt: `Inspect part ${name} of the workspace.` }));
  script
    .on({ ...LEAD, step: 1 })
    .reply([text('I split this into three parts.'), ...calls], named(options, 'lead starts three'));
  for (const name of names) addChild(script, { prompt: new RegExp(`part ${name}`) }, `part ${name}`, options);
  return addAnswer(script, options);
}

export function spawnOne(options: ScenarioOptions = {}): Script {
  const script = new Script();
  const call = spawn({ name: 'inspector', prompt: 'Inspect the workspace and report.' });
  script.on(START).reply([text('I ask one helper.'), call], named(options, 'lead starts one'));
  addChild(script, { prompt: /Inspect the workspace/ }, 'the workspace', options);
  return addAnswer(script, options);
}

export function plainAnswer(options: ScenarioOptions & { answer?: string } = {}): Script {
  const { answer = 'Hello, this is the whole answer.' } = options;
  return new Script().on({}).reply([streamed(answer, options)], named(options, 'plain answer'));
}

export function delegate(options: ScenarioOptions = {}): Script {
  const script = new Script();
  const call = delegateTo('code-reviewer', 'Review the code of the workspace.');
  script.on(START).reply([call], named(options, 'lead delegates'));
  addChild(script, { prompt: /Review the code/ }, 'the code', options);
  return addAnswer(script, options);
}

/** The count of sub-agents is one for both ways of starting them. */
export function spawnThenDelegate(options: ScenarioOptions = {}): Script {
  const script = new Script();
  const first = spawn({ name: 'inspector', prompt: 'Inspect the workspace and report.' });
  const second = delegateTo('code-reviewer', 'Review the code of the workspace.');
  script.on(START).reply([first], named(options, 'lead starts one'));
  script.on({ ...LEAD, step: 2 }).reply([second], named(options, 'lead delegates'));
  addChild(script, { prompt: /Inspect the workspace/ }, 'the workspace', options);
  addChild(script, { prompt: /Review the code/ }, 'the code', options);
  return addAnswer(script, options);
}

/** The same agent twice in one batch. */
export function batch(options: ScenarioOptions & { waitAll?: boolean } = {}): Script {
  const script = new Script();
  const tasks = ['first', 'second'].map((part) => {
    return { agent_id: 'code-reviewer', prompt: `Review the ${part} half.`, reason: 'Review one half' };
  });
  const input = { operation: 'execute_batch', tasks, wait_all: options.waitAll ?? true };
  script.on({ ...LEAD, step: 1 }).reply([toolUse('parallel_tasks', input)], named(options, 'lead starts a batch'));
  addChild(script, { prompt: /the first half/ }, 'the first half', options);
  addChild(script, { prompt: /the second half/ }, 'the second half', options);
  return addAnswer(script, options);
}

/** The lead starts three, then asks for a fourth, which must be refused. */
export function fourth(options: ScenarioOptions = {}): Script {
  const script = new Script();
  const names = ['alpha', 'beta', 'gamma', 'delta'];
  const calls = names.map((name) => spawn({ name, prompt: `Inspect part ${name} of the workspace.` }));
  script.on(START).reply(calls.slice(0, 3), named(options, 'lead starts three'));
  script.on({ ...LEAD, step: 2 }).reply(calls.slice(3), named(options, 'lead asks for a fourth'));
  for (const name of names) addChild(script, { prompt: new RegExp(`part ${name}`) }, `part ${name}`, options);
  return addAnswer(script, options);
}

/** The sub-agent tries to start one of its own, which must be refused. */
export function childSpawns(options: ScenarioOptions = {}): Script {
  const script = new Script();
  const call = spawn({ name: 'manager', prompt: 'Manage the workspace and report.' });
  const deeper = spawn({ name: 'deeper', prompt: 'Go deeper.' });
  script.on(START).reply([call], named(options, 'lead starts one'));
  const child = { ...CHILD, prompt: /Manage the workspace/ };
  script.on({ ...child, step: 1 }).reply([deeper], named(options, 'child asks for a child'));
  script
    .on(child)
    .reply(
      (seen) => [streamed(`# Report: refused\n\n${seen.results[0]?.text ?? ''}`, options)],
      named(options, 'child reports'),
    );
  return addAnswer(script, options);
}

export interface WriteFileOptions extends ScenarioOptions {
  path?: string;
  content?: string;
  /** Who writes; default: the lead. */
  by?: 'lead' | 'child';
}

export function writeFile(options: WriteFileOptions = {}): Script {
  const { path = 'notes.md', content = '# Notes\n\nWritten by an agent.\n', by = 'lead' } = options;
  const script = new Script();
  const write = toolUse('write_file', { path, content });
  if (by === 'lead') {
    script.on(START).reply([text('I write the file.'), write], named(options, 'lead writes'));
    return addAnswer(script, options);
  }
  const call = spawn({ name: 'writer', prompt: 'Write the notes.', tools: ['write_file'] });
  script.on(START).reply([call], named(options, 'lead starts one'));
  script.on({ ...CHILD, prompt: /Write the notes/, step: 1 }).reply([write], named(options, 'child writes'));
  script
    .on({ ...CHILD, prompt: /Write the notes/ })
    .reply([streamed(reportOf('the notes'), options)], named(options, 'child reports'));
  return addAnswer(script, options);
}

/** One tool call, then a report. */
function addChild(script: Script, match: Match, task: string, options: ScenarioOptions): void {
  const child = { ...CHILD, ...match };
  const look = toolUse('list_directory', { path: '.' });
  script.on({ ...child, step: 1 }).reply([look], named(options, `child looks at ${task}`));
  script.on(child).reply([streamed(reportOf(task), options)], named(options, `child reports on ${task}`));
}

/** Whatever else a lead asks is answered from the results that it has. */
function addAnswer(script: Script, options: ScenarioOptions): Script {
  const answer: Blocks = (seen) => [streamed(answerFrom(seen), options)];
  return script.on(LEAD).reply(answer, named(options, 'lead answers'));
}

function streamed(words: string, { deltas = REPORT_DELTAS }: ScenarioOptions): Block {
  return text(words, { deltas });
}

function named({ reply }: ScenarioOptions, name: string): ReplyOptions {
  return { name, ...reply };
}

/** Adds a sub-agent whose second request fails for good the first time, and a lead that tells whether its report came. */
export function failingChild(script = new Script()): Script {
  return script
    .on({ ...LEAD, asked: /Report of the sub-agent/ })
    .reply((seen) => [text(seen.asked.includes('All found.') ? 'Now I know all.' : 'Still nothing.')])
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'finder', prompt: 'Find it.' })])
    .on(LEAD)
    .reply([text('It failed.')])
    .on({ turn: 1 })
    .reply([text('I look first.'), toolUse('list_directory', { path: '.' })])
    .on({ turn: 2 })
    .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'odd' }, times: 1 })
    .on({})
    .reply([text('All found.')]);
}
