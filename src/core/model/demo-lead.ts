/** The demo's lead: four acts, one for each message of a conversation; the third writes a file. After them the way to a real model. */
import {
  count,
  factOf,
  isCut,
  lateReports,
  listedLines,
  firstWords,
  type Report,
  reportsOf,
  SCRIPTED,
  summaryOf,
} from './demo-facts.ts';
import { FACTS_WANTED } from './demo-report.ts';
import { improvement } from './demo-review.ts';
import type { DoneCall, Reply, Scene } from './demo-scene.ts';

interface Act {
  /** Said before the folder is looked at. */
  intent: string;
  /** What starts sub-agents; null where its tool or its agents are missing. */
  start(scene: Scene): Reply['calls'][number] | null;
  /** Said before the question comes. */
  asking: string;
  /** Whether what came of it is written to a file. */
  writes?: boolean;
  /** Whether the report is shown whole. */
  whole?: boolean;
  next: string;
}

const ACTS: readonly Act[] = [
  {
    intent: 'I look at the folder, then ask you for one sub-agent.',
    asking:
      'One temporary sub-agent shall count the files. **You are asked first**: you see its whole prompt and its tools, and may change them, say yes, or say no.',
    start: (scene) =>
      !scene.can('spawn_agent')
        ? null
        : {
            id: 'spawn',
            name: 'spawn_agent',
            input: {
              operation: 'spawn',
              name: 'file-counter',
              reason: 'Count the files of the folder',
              system_prompt:
                'You are a temporary agent of the Triad demo. You look at files and report what you found; you change nothing.',
              tools: ['list_directory', 'glob', 'grep', 'read_file'],
              prompt: promptOf(
                'Count the files of the folder by kind, and say what its introduction holds.',
                'Files: `**/*`',
              ),
            },
          },
    next: 'Send a second message, and I hand a task to a permanent agent, which has a definition of its own.',
  },
  {
    intent: 'I look at the folder again, then hand a task to a permanent agent.',
    asking: 'A permanent agent shall look for open ends. It has its own system prompt; you are asked again.',
    start: (scene) => {
      const agent = agentsOf(scene, 1)[0];
      return !scene.can('delegate_task') || agent === undefined
        ? null
        : {
            id: 'delegate',
            name: 'delegate_task',
            input: {
              operation: 'delegate',
              agent_id: agent,
              reason: 'Look for open ends',
              prompt: promptOf('Find what was left to do in the code and its texts.', 'Look for: `TODO|FIXME`'),
            },
          };
    },
    next: 'Send a third message, and I run three agents at the same time.',
  },
  {
    intent: 'I look at the folder, start three agents at once, and write down what they found.',
    asking: 'Three agents shall work at the same time. Each is a question of its own: allow all of them, or only some.',
    start: (scene) => {
      const agents = agentsOf(scene, 3);
      return !scene.can('parallel_tasks') || agents.length === 0
        ? null
        : {
            id: 'batch',
            name: 'parallel_tasks',
            input: {
              operation: 'execute_batch',
              wait_all: true,
              tasks: agents.map((agent) => ({ agent_id: agent, ...(TASKS[agent] ?? OTHER_TASK) })),
            },
          };
    },
    writes: true,
    next: 'Send a fourth message, and three agents work one after the other on one report.',
  },
  {
    intent: 'I look at the folder, then have a report written by agents that always follow each other.',
    asking:
      'One agent shall collect facts, one write the report from them, one check it against the files. **One question** covers them all: it shows every stage.',
    start: (scene) =>
      !scene.can('delegate_task') || !scene.agents.includes(FIRST_OF_CHAIN)
        ? null
        : {
            id: 'chain',
            name: 'delegate_task',
            input: {
              operation: 'delegate',
              agent_id: FIRST_OF_CHAIN,
              reason: 'Have a report written',
              prompt: promptOf(
                'What is in this folder, and what was left to do in it?',
                'Files: `**/*`. Look for: `TODO|FIXME`',
                FACTS_WANTED,
              ),
            },
          },
    whole: true,
    next: 'That was all of the script: one sub-agent, a permanent one, three at once, a file, and three in a row.',
  },
];

/** The one that `report-writer` and `report-checker` follow. */
const FIRST_OF_CHAIN = 'fact-finder';

/** Each agent's own work, so that what it is told fits who it is; the last is for any other. */
const TASKS: Readonly<Record<string, { reason: string; prompt: string }>> = {
  'documentation-writer': {
    reason: 'Find the texts',
    prompt: promptOf('Find the texts of the folder and read the first.', 'Files: `**/*.md`'),
  },
  'test-generator': {
    reason: 'Find the tests',
    prompt: promptOf('Find the tests of the code.', 'Files: `**/*test*`'),
  },
  'code-reviewer': {
    reason: 'Find the addresses in the code',
    prompt: promptOf('Find the addresses that the code and its texts name.', 'Look for: `https?://`'),
  },
};
const OTHER_TASK = {
  reason: 'Find the links',
  prompt: promptOf('Find the links in all files.', 'Look for: `https?://`'),
};

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
  const { calls } = scene;
  const number = actOf(calls.map(({ id }) => id)) || actOf(scene.earlier) + 1;
  const act = ACTS[number - 1];
  if (!act) return finalOf(THE_END);
  const looked = calls.find(({ name }) => name === 'list_directory');
  if (!looked && calls.length === 0 && scene.can('list_directory'))
    return {
      text: `Demo, act ${number} of ${ACTS.length}. ${act.intent}`,
      calls: [inAct(number, { id: 'look', name: 'list_directory', input: {} })],
    };
  const seen = [looked ? factOf(looked, '.') : '', improvement(scene.notes, looked)].join(' ').trim();
  const started = calls.find(({ name }) => STARTS.has(name));
  if (started) {
    const outcome = act.whole ? wholeOf(started) : outcomeOf(started, lateReports(scene.notes));
    const written = calls.find(({ name }) => name === 'write_file');
    if (written) return finalOf(seen, outcome, writtenText(written), act.next);
    const write = act.writes ? writeOf(scene, started, looked, outcome) : null;
    return write ? { text: ASKING_TO_WRITE, calls: [inAct(number, write)] } : finalOf(seen, outcome, act.next);
  }
  const start = act.start(scene);
  if (!start) return finalOf(seen, 'No sub-agent can be started here, so there is nothing more to show.', act.next);
  return { text: `${seen} ${act.asking}`.trim(), calls: [inAct(number, start)] };
}

const ASKING_TO_WRITE =
  'I write down what they found. **You are asked first**: you see the file and every line of it. Nothing else is written.';

/** A new file beside those that were seen, with what was reported; null where nothing was, or a name could be taken. */
function writeOf(
  { can }: Scene,
  started: DoneCall,
  looked: DoneCall | undefined,
  outcome: string,
): Reply['calls'][number] | null {
  const hasReport = reportsOf(started.output)?.some(({ success }) => success) ?? false;
  if (!hasReport || !can('write_file') || !looked || looked.isError || isCut(looked.output)) return null;
  const taken = new Set(listedLines(looked.output));
  let path = 'triad-demo.md';
  for (let number = 2; taken.has(path); number += 1) path = `triad-demo-${number}.md`;
  const content = `# Written by the demo of Triad\n\nAfter a yes. What the agents reported:\n\n${outcome}\n`;
  return { id: 'write', name: 'write_file', input: { path, content } };
}

function writtenText({ output, isError }: DoneCall): string {
  if (isError) return `Nothing was written: ${firstWords(output, 300)}`;
  return 'I wrote that to a file, after your yes. **Changes** shows it, and **Undo** takes it away again. In a terminal, in this folder, `triad changes` says what was changed by which run, and `triad changes --undo RUN` undoes it.';
}

const THE_END = `The demo has shown what it can. To let a model work for you, open **Settings → Model provider**, and paste an Anthropic key or point to a server of your own: Ollama, LM Studio and others on this machine are found by themselves. In a terminal, set \`active = "anthropic"\` below \`[providers]\` in \`config.toml\`, and \`ANTHROPIC_API_KEY\`.

This conversation stays in the history with every run, question and figure. A new conversation begins the demo anew.`;

function finalOf(...paragraphs: string[]): Reply {
  return { text: [SCRIPTED, ...paragraphs.filter((text) => text !== '')].join('\n\n'), calls: [] };
}

/** The highest act that these calls belong to; 0 for none. */
function actOf(ids: readonly string[]): number {
  return Math.max(0, ...ids.map((id) => Number(/^demo_act(\d+)_/.exec(id)?.[1] ?? 0)));
}

function inAct(number: number, call: Reply['calls'][number]): Reply['calls'][number] {
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
function outcomeOf({ output, isError }: DoneCall, late: readonly Report[]): string {
  const reports = newest([...(reportsOf(output) ?? []), ...late]);
  if (reports.length === 0) return `${isError ? 'That did not work' : 'The answer was'}: ${firstWords(output, 300)}`;
  if (reports.length === 1) return sentenceOf(reports[0]!);
  return reports.map((report) => `- **${report.agent_id ?? 'Sub-agent'}**: ${sentenceOf(report)}`).join('\n');
}

/** The report of a chain as its last agent gave it, with who worked on it. */
function wholeOf(started: DoneCall): string {
  const [first] = reportsOf(started.output) ?? [];
  if (!first?.success) return outcomeOf(started, []);
  const names = [FIRST_OF_CHAIN, ...(first.chained_stages ?? []).map(({ agent }) => agent)];
  const agents = [...new Set(names)].map((name) => `\`${name}\``).join(' → ');
  return `${agents}: each got what the one before it gave, and the last gave this:\n\n---\n\n${first.report}\n\n---`;
}

/** One report of each sub-agent, in the order of the first ones: what came late replaces what was said before. */
function newest(reports: readonly Report[]): Report[] {
  const byChild = new Map<unknown, Report>();
  for (const report of reports) byChild.set(report.child_id ?? report, report);
  return [...byChild.values()];
}

function sentenceOf({ success, outcome, report, error, metrics }: Report): string {
  if (success) {
    const figures = metrics
      ? ` (${(metrics.duration_ms / 1000).toFixed(1)} s, about ${count(metrics.tokens_input + metrics.tokens_output, 'token')})`
      : '';
    return `Its report${figures}: ${summaryOf(report)}`;
  }
  const why = firstWords(error ?? '', 300);
  if (outcome === 'rejected') {
    const reason = why.replace(/^Rejected(?: by [^:]+)?: /, '');
    const who = why.startsWith('Rejected by the person') ? 'You said' : 'The answer was';
    return `${who} no${reason === '' ? '' : `: “${reason}”`}. It was not started, and nothing else was tried in its place.`;
  }
  const kept = report === '' ? '' : ` What it had said until then: ${summaryOf(report)}`;
  return `It did not finish (${(outcome ?? 'error').replace('_', ' ')})${why === '' ? '' : `: ${why}`}.${kept}`;
}

function promptOf(task: string, input: string, output = 'a Markdown report with a title and a `## Summary`'): string {
  return `**Task**: ${task}

**Input Data**: the folder of the workspace. ${input}

**Expected Output Format**: ${output}.

**Constraints**: read only; change nothing.`;
}
