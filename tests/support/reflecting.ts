/** An agent that reviews its own answers, as a file of the workspace and as the script of its model. */
import type { Reflection } from '#contract/agent.ts';
import { type Harness, type HarnessOptions, startEngine } from './engine.ts';
import { type Block, type ReplyOptions, Script, text, toolUse } from './fake-model/script.ts';

export const REVIEWER = /You review the answer of an agent/;
export const CHECKER = '.triad/agents/checker.md';
export const CRITERIA = 'It names the file and the line.';

/** `reflection` null: as it is where nothing is said of it. */
export function checkerFile(reflection: Partial<Reflection> | null = {}, keys = ''): string {
  const { criteria = CRITERIA, maxRetries = 2 } = reflection ?? {};
  const own = `enable_reflection: true\nmax_retries: ${maxRetries}\n${criteria === null ? '' : `reflection_criteria: ${JSON.stringify(criteria)}\n`}`;
  return `---\nname: checker\ndescription: Checks\n${keys}${reflection === null ? '' : own}---\nYou are the checker.\n`;
}

const delegation = (prompt = 'Find the fault.') =>
  toolUse('delegate_task', { operation: 'delegate', agent_id: 'checker', prompt });

export const verdict = (passed: boolean, score: number, critique = '') => JSON.stringify({ passed, score, critique });

export interface Reflecting {
  /** What the agent answers, one after the other. */
  answers: readonly (string | { blocks: Block[]; options?: ReplyOptions })[];
  /** What is said of the answer with these words; several for reviews that are asked for again. */
  reviews: Readonly<Record<string, string | readonly string[]>>;
  /** Of each review. */
  review?: ReplyOptions;
  lead?: Block[];
}

/** The lead delegates once and reports; answers and reviews depend on what was asked alone, so that asking again changes nothing. */
export function reflecting({ answers, reviews, review = {}, lead = [delegation()] }: Reflecting): Script {
  const script = new Script();
  for (const [words, said] of Object.entries(reviews))
    for (const [index, one] of [said].flat().entries()) {
      const isLast = index === [said].flat().length - 1;
      script
        .on({ system: REVIEWER, where: ({ prompt }) => answerIn(prompt).includes(words) })
        .reply([text(one)], { ...review, name: `review of ${words}`, ...(isLast ? {} : { times: 1 }) });
    }
  for (const [index, answer] of answers.entries()) {
    const { blocks, options } = typeof answer === 'string' ? { blocks: [text(answer)], options: {} } : answer;
    script
      .on({ system: /You are the checker/, turn: index + 1 })
      .reply(blocks, { name: `answer ${index + 1}`, ...options });
  }
  return script
    .on({ tools: ['delegate_task'], turn: 1 })
    .reply(lead)
    .on({ tools: ['delegate_task'] })
    .reply([text('The lead has the report.')]);
}

/** What a reviewer is given. */
export function answerIn(prompt: string): string {
  return (JSON.parse(prompt) as { answer: string }).answer;
}

export interface ReflectingOptions extends HarnessOptions {
  agent?: string;
}

/** With the agent in the workspace, trusted. */
export async function startReflecting(
  script: Script | Reflecting,
  { agent = checkerFile(), ...options }: ReflectingOptions = {},
): Promise<Harness> {
  const engine = await startEngine(script instanceof Script ? script : reflecting(script), {
    ...options,
    files: { [CHECKER]: agent, ...options.files },
  });
  const { runtime, folder } = engine;
  const look = await runtime.request('trust.look', { folder });
  const files = look.files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
  await runtime.request('trust.set', { folder, files });
  return engine;
}

export async function childOf(engine: Harness) {
  const ended = engine.of('run-end').find(({ parentRunId }) => parentRunId !== null);
  if (!ended) throw new Error('no sub-agent has ended');
  const { runs, requests } = await engine.runtime.request('workflow.get', { workflowId: ended.workflowId });
  const run = runs.find(({ id }) => id === ended.runId);
  if (!run) throw new Error('no row of the sub-agent');
  const entries = await engine.runtime.request('run.entries', { runId: run.id });
  return { run, entries, requests: requests.filter(({ runId }) => runId === run.id) };
}

export const reviewers = ({ model }: Harness) => model.requests.filter(({ seen }) => REVIEWER.test(seen.system));
