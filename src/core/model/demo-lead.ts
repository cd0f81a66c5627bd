/** The demo's lead: four acts, one for each message of a conversation; the third writes a file. After them the way to a real model. */
import {
  factOf,
  isCut,
  lateReports,
  listedLines,
  firstWords,
  type Report,
  reportsOf,
  summaryOf,
} from './demo-facts.ts';
import { improvement } from './demo-review.ts';
import type { DoneCall, Reply, Scene } from './demo-scene.ts';
import type { DemoWords } from './demo-words.ts';

type Call = Reply['calls'][number];

interface Act {
  /** What starts sub-agents; null where its tool or its agents are missing. */
  start(scene: Scene): Call | null;
  /** Whether what came of it is written to a file. */
  writes?: boolean;
  /** Whether the report is shown whole. */
  whole?: boolean;
}

/** Their words stand at the same place in `DemoWords.acts`. */
const ACTS: readonly Act[] = [
  { start: ({ can, words }) => (can('spawn_agent') ? spawnOf(words) : null) },
  {
    start: (scene) => {
      const [agent] = agentsOf(scene, 1);
      const { can, words } = scene;
      if (!can('delegate_task') || agent === undefined) return null;
      const told = work(words, 'openEnds', `${words.lookFor}: \`TODO|FIXME\``);
      return { id: 'delegate', name: 'delegate_task', input: { operation: 'delegate', agent_id: agent, ...told } };
    },
  },
  {
    start: (scene) => {
      const agents = agentsOf(scene, 3);
      if (!scene.can('parallel_tasks') || agents.length === 0) return null;
      const tasks = agents.map((agent) => ({ agent_id: agent, ...workOf(agent, scene.words) }));
      return { id: 'batch', name: 'parallel_tasks', input: { operation: 'execute_batch', wait_all: true, tasks } };
    },
    writes: true,
  },
  {
    start: ({ can, agents, words }) => {
      if (!can('delegate_task') || !agents.includes(FIRST_OF_CHAIN)) return null;
      const wanted = `${words.files}: \`**/*\`. ${words.lookFor}: \`TODO|FIXME\``;
      const told = work(words, 'report', wanted, words.factsWanted);
      return {
        id: 'chain',
        name: 'delegate_task',
        input: { operation: 'delegate', agent_id: FIRST_OF_CHAIN, ...told },
      };
    },
    whole: true,
  },
];

/** The one that `report-writer` and `report-checker` follow. */
const FIRST_OF_CHAIN = 'fact-finder';

function spawnOf(words: DemoWords): Call {
  const told = work(words, 'counting', `${words.files}: \`**/*\``);
  const tools = ['list_directory', 'glob', 'grep', 'read_file'];
  const input = { operation: 'spawn', name: 'file-counter', system_prompt: words.system, tools, ...told };
  return { id: 'spawn', name: 'spawn_agent', input };
}

/** Each agent's own work, so that what it is told fits who it is; the last is for any other. */
function workOf(agent: string, words: DemoWords): { reason: string; prompt: string } {
  if (agent === 'documentation-writer') return work(words, 'texts', `${words.files}: \`**/*.md\``);
  if (agent === 'test-generator') return work(words, 'tests', `${words.files}: \`**/*test*\``);
  return work(words, 'addresses', `${words.lookFor}: \`https?://\``);
}

/** What a sub-agent is told, as a prompt of four parts, and why. */
function work(
  words: DemoWords,
  task: keyof DemoWords['tasks'],
  wanted: string,
  output = words.reportWanted,
): { reason: string; prompt: string } {
  const { prompt } = words;
  const parts = [
    [prompt.task, words.tasks[task].task],
    [prompt.input, words.input(wanted)],
    [prompt.output, `${output}.`],
    [prompt.limits, words.readOnly],
  ];
  return {
    reason: words.tasks[task].reason,
    prompt: parts.map(([name, told]) => words.part(name!, told!)).join('\n\n'),
  };
}

export function leadReply(scene: Scene): Reply {
  const reply = actReply(scene);
  const ends = reply.calls.length === 0 && scene.notes.some((note) => ENDS_ITSELF.test(note));
  if (!ends || !scene.can('task_complete')) return reply;
  return { text: '', calls: [{ id: 'demo_done', name: 'task_complete', input: { summary: reply.text } }] };
}

/** The words with which a loop hands the work back to the agent. */
const ENDS_ITSELF = /call task_complete with your whole answer/;

const STARTS: ReadonlySet<string> = new Set(['spawn_agent', 'delegate_task', 'parallel_tasks']);

function actReply(scene: Scene): Reply {
  const { calls, words } = scene;
  const number = actOf(calls.map(({ id }) => id)) || actOf(scene.earlier) + 1;
  const act = ACTS[number - 1];
  const said = words.acts[number - 1];
  if (!act || !said) return finalOf(words, words.end);
  const looked = calls.find(({ name }) => name === 'list_directory');
  if (!looked && calls.length === 0 && scene.can('list_directory'))
    return {
      text: `${words.act(number, ACTS.length)} ${said.intent}`,
      calls: [inAct(number, { id: 'look', name: 'list_directory', input: {} })],
    };
  const seen = [looked ? factOf(looked, '.', words) : '', improvement(scene, looked)].join(' ').trim();
  const started = calls.find(({ name }) => STARTS.has(name));
  if (started) {
    const outcome = act.whole ? wholeOf(started, words) : outcomeOf(started, lateReports(scene.notes), words);
    const written = calls.find(({ name }) => name === 'write_file');
    if (written) return finalOf(words, seen, outcome, writtenText(written, words), said.next);
    const write = act.writes ? writeOf(scene, started, looked, outcome) : null;
    return write
      ? { text: words.askingToWrite, calls: [inAct(number, write)] }
      : finalOf(words, seen, outcome, said.next);
  }
  const start = act.start(scene);
  if (!start) return finalOf(words, seen, words.nothingStarts);
  // What was seen is said once, in the answer.
  return { text: said.asking, calls: [inAct(number, start)] };
}

/** A new file beside those that were seen, with what was reported; null where nothing was, or a name could be taken. */
function writeOf({ can, words }: Scene, started: DoneCall, looked: DoneCall | undefined, outcome: string): Call | null {
  const hasReport = reportsOf(started.output)?.some(({ success }) => success) ?? false;
  if (!hasReport || !can('write_file') || !looked || looked.isError || isCut(looked.output)) return null;
  const taken = new Set(listedLines(looked.output));
  let path = 'triad-demo.md';
  for (let number = 2; taken.has(path); number += 1) path = `triad-demo-${number}.md`;
  const content = `${words.fileStart}\n\n${outcome}\n`;
  return { id: 'write', name: 'write_file', input: { path, content } };
}

function writtenText({ output, isError }: DoneCall, words: DemoWords): string {
  const why = firstWords(output, 300);
  if (isError) return words.notWritten(refusalOf(why, words) ?? why);
  const path = /^(?:Made|Wrote) (.+?): /.exec(output)?.[1];
  return path === undefined ? words.saidSo(why) : words.written(path);
}

/** A no as the tool's result says it; null where it was no no. */
function refusalOf(why: string, words: DemoWords): string | null {
  const [all, by] = /^Rejected(?: by ([^:]+))?: /.exec(why) ?? [];
  return all === undefined ? null : words.no(by === 'the person', why.slice(all.length));
}

function finalOf(words: DemoWords, ...paragraphs: string[]): Reply {
  return { text: [words.scripted, ...paragraphs.filter((text) => text !== '')].join('\n\n'), calls: [] };
}

/** The highest act that these calls belong to; 0 for none. */
function actOf(ids: readonly string[]): number {
  return Math.max(0, ...ids.map((id) => Number(/^demo_act(\d+)_/.exec(id)?.[1] ?? 0)));
}

function inAct(number: number, call: Call): Call {
  return { ...call, id: `demo_act${number}_${call.id}` };
}

/** Agents that nothing follows and nobody reviews: their report is their own. */
const ALONE = ['code-reviewer', 'documentation-writer', 'test-generator'];

/** As many as are wanted; the same ones again where there are too few. */
function agentsOf({ agents }: Scene, wanted: number): string[] {
  if (agents.length === 0) return [];
  const known = ALONE.filter((name) => agents.includes(name));
  const sorted = known.length > 0 ? known : agents;
  return Array.from({ length: wanted }, (_, index) => sorted[index % sorted.length]!);
}

/** What came of the sub-agents, in words that fit a yes, a no, a failure and what the tool refused. */
function outcomeOf({ output, isError }: DoneCall, late: readonly Report[], words: DemoWords): string {
  const reports = newest([...(reportsOf(output) ?? []), ...late]);
  const said = firstWords(output, 300);
  if (reports.length === 0) return isError ? words.didNotWork(said) : words.saidSo(said);
  if (reports.length === 1) return sentenceOf(reports[0]!, words);
  return reports.map((one) => words.ofAgent(one.agent_id ?? words.someone, sentenceOf(one, words))).join('\n');
}

/** The report of a chain as its last agent gave it, with who worked on it. */
function wholeOf(started: DoneCall, words: DemoWords): string {
  const [first] = reportsOf(started.output) ?? [];
  if (!first?.success) return outcomeOf(started, [], words);
  const names = [FIRST_OF_CHAIN, ...(first.chained_stages ?? []).map(({ agent }) => agent)];
  const agents = [...new Set(names)].map((name) => `\`${name}\``).join(' → ');
  return words.chain(agents, first.report);
}

/** One report of each sub-agent, in the order of the first ones: what came late replaces what was said before. */
function newest(reports: readonly Report[]): Report[] {
  const byChild = new Map<unknown, Report>();
  for (const report of reports) byChild.set(report.child_id ?? report, report);
  return [...byChild.values()];
}

function sentenceOf({ success, outcome, report, error, metrics }: Report, words: DemoWords): string {
  if (success) {
    if (!metrics) return words.itsReportAlone(summaryOf(report));
    const { duration_ms, tokens_input, tokens_output } = metrics;
    return words.itsReport(duration_ms / 1000, tokens_input + tokens_output, summaryOf(report));
  }
  const why = firstWords(error ?? '', 300);
  if (outcome === 'rejected')
    return `${refusalOf(why, words) ?? words.no(why.startsWith('Rejected by the person'), why)} ${words.notStarted}`;
  return `${words.unfinished(outcome ?? 'error', why)}${report === '' ? '' : words.hadSaid(summaryOf(report))}`;
}
