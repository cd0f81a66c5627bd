/** An agent that reviews its own answers, as a file of the workspace and as the script of its model. */
import type { Reflection } from '#contract/agent.ts';
import { type Block, type ReplyOptions, Script, text, toolUse } from './script.ts';

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
