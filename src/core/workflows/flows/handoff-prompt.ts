/** Prompts of a control flow: the account of the work for the coagent, and its feedback for the agent. Pure. */
import type { Envelope, Flow } from '#contract/agent.ts';
import type { AssistantEntry, Entry } from '#contract/message.ts';
import type { OutputExpectation } from '#contract/flows/control-flow.ts';
import { MAX_PROMPT_CHARS } from '#contract/limits.ts';
import type { HandoffVariable } from '#core/agents/variables.ts';
import { accountOf, changesIn, planIn } from './account.ts';
import { feedbackBefore } from './control-flow.ts';
import { cutAtCodePoint } from '#core/base/text.ts';

/** Maximum length of a part of a prompt, in code units. All parts fit together. */
const MAX_PART_CHARS = 500_000;

/** Values of the variables of a handoff. No value is empty. */
export type HandoffValues = Record<HandoffVariable, string>;

export function handoffValues(
  entries: readonly Entry[],
  { envelope, flow }: { envelope: Envelope; flow: Flow },
  { answer, text, round }: { answer: AssistantEntry; text: string; round: number },
): HandoffValues {
  const request = part(envelope.prompt);
  return {
    user_request: request,
    task_description: request,
    account: accountOf(entries),
    answer: part(text),
    todo_state: planIn(entries),
    changes: changesIn(entries),
    round: String(round),
    max_rounds: String(flow.rounds),
    feedback: part(feedbackBefore(entries, answer) ?? '') || 'Nothing: this is the first round.',
    agent: envelope.agent,
    coagent: flow.coagent?.agent ?? envelope.agent,
  };
}

/** Returns the prompt of a handoff. `words`: text of the file with replaced variables, or of a model. `output`: format of the answer. */
export function handoffPrompt(flow: Flow, words: string, values: HandoffValues, output?: OutputExpectation): string {
  const { type, coagent, handoff } = flow;
  if (!coagent) return part(`${words}\n\n${ALONE}`);
  const told = handoff.type === 'template' ? [] : [sectionsOf(values, { remembers: type === 'chat' })];
  const adds = output?.format === 'json' && (type === 'smart' || type === 'chat') ? [jsonWords(output)] : [];
  return cutAtCodePoint([words, ...told, HOW_TO_END[type](values), ...adds].join('\n\n'), MAX_PROMPT_CHARS);
}

/** Returns the rule for answers in JSON, to which a coagent cannot append text. */
function jsonWords({ schema }: OutputExpectation): string {
  const shape = schema === null ? '' : ` that fits this JSON Schema:\n\n${JSON.stringify(schema, null, 2)}`;
  return `The answer is one JSON value, to which nothing can be added. Where you change what it says, your summary is the whole new value and nothing else, and takes its place; any other summary leaves it as it is. It is a value${shape || ' of any shape.'}`;
}

/** Returns the account of the work for the coagent. `remembers`: its earlier answers are in its history. */
export function sectionsOf(values: HandoffValues, { remembers = false } = {}): string {
  const { user_request: request, account, answer, agent, round, max_rounds: rounds, feedback } = values;
  const before = round === '1' || remembers ? '' : `\n\n## What you said in the round before\n\n${feedback}`;
  return `## What was asked\n\n${request}\n\n## What ${agent} has done\n\n${account}${before}\n\n## The answer of ${agent} (round ${round} of ${rounds})\n\n${answer}`;
}

const ALONE =
  'If all of the task is done and checked, call task_complete with your whole answer. Else go on with what is missing.';

const SCORE = 'Give your words a line "Score: N", where N is from 0 (useless) to 100 (nothing left to improve).';

const HOW_TO_END: Record<Flow['type'], (values: HandoffValues) => string> = {
  hitl: () => '',
  loop: ({ agent }) =>
    `## How you end\n\nYour last message is handed to ${agent} as it is: it is what that one is told next.`,
  judge: ({ agent }) =>
    `## How you end\n\nYou only judge: change nothing. Where the answer does all that was asked for, call task_complete, with why as its summary. Where it does not, write what is wrong or missing, so concretely that ${agent} can put it right. ${SCORE}`,
  smart: ({ agent }) =>
    `## How you end\n\nWhere the answer does all that was asked for, call task_complete, with why as its summary. Where little is missing, do it yourself with your tools, then call task_complete, with what you did as its summary: it is added to the answer. Else write what is wrong or missing, so concretely that ${agent} can put it right. ${SCORE}`,
  chat: ({ agent }) =>
    `## How you end\n\nYou and ${agent} take turns. Where all of the work is done, call task_complete, with your closing words as its summary: they are added to the answer. Else write what ${agent} is to do or answer next.`,
};

/** Returns the feedback of the coagent as a message to the agent. */
export function feedbackWords({ type }: Pick<Flow, 'type'>, coagent: string, words: string): string {
  if (type === 'loop' || type === 'chat') return words;
  return `Your answer was looked at by ${coagent} and is not accepted yet:\n\n${words}\n\nImprove it, with your tools where they help, and write the whole improved answer: it takes the place of the one before.`;
}

function part(text: string): string {
  return cutAtCodePoint(text.trim(), MAX_PART_CHARS);
}
