/** What a coagent is told where its composition's file says nothing, in the words of a person who hands over work. */
import type { ControlFlow, HandoffPrompt } from '#contract/flows/control-flow.ts';

const LOOP_ALONE = `Look at your last answer as if somebody else had written it. Compare it with what was asked: what is missing, wrong, unproved or left half done? What is, do now.`;

const LOOP = `Another agent is working on the request below, and you help it to go on. Read what was asked, what it did and what it answered, and look yourself where the account is not enough.

Say what is still missing or wrong, most important first, and what to do next, with files, lines and checks. Where nothing is left to do, say so plainly, and that it can call task_complete.`;

const JUDGE = `Another agent has worked on the request below and gave the answer below. Judge the result against the request, and against nothing else. Do not trust the account alone: read the files that matter.

It is done only if the request is met as a whole; a good part of it is not enough. What has to change comes most important first, with files and lines.`;

const SMART = `Another agent has worked on the request below and gave the answer below. Check the result against the request; read the files that matter instead of trusting the account.

Where little is wrong, put it right yourself, and check it. Where more is wrong, or it needs another way, say what has to change, most important first, with files and lines.`;

const CHAT = `You and another agent work on the request below together, in turns. It has just had its turn; its answer is below. Now it is yours: take the work further where you can, say what you think of the last turn, and put to the other agent what it should do next. It is done when the request is met and neither of you has anything to add that matters.`;

/** Of a `hitl` it is told nobody, and stands for the shape alone. */
export function defaultHandoff(type: ControlFlow, hasCoagent: boolean): HandoffPrompt {
  const texts = { hitl: LOOP_ALONE, loop: hasCoagent ? LOOP : LOOP_ALONE, judge: JUDGE, smart: SMART, chat: CHAT };
  return { type: 'static', text: texts[type] };
}
