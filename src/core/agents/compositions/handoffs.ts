/** What a coagent is told where its composition's file says nothing, in the words of a person who hands over work. */
import type { ControlFlow, HandoffPrompt } from '#contract/flows/control-flow.ts';

const LOOP_ALONE = `Look at your last answer as if somebody else had written it. Compare it with what was asked: what is missing, wrong, unproved or left half done? What is, do now.`;

const LOOP = `Another agent is working on the request below, and you help it to go on. Read what was asked, what it did and what it answered, and look yourself where the account is not enough.

Say what is still missing or wrong, most important first, and what to do next. Be concrete: name files, lines and checks. Where nothing is left to do, say so plainly, and that it can call task_complete.`;

const JUDGE = `Another agent has worked on the request below and gave the answer below. Judge the result against the request, and against nothing else. Do not trust the account alone: read the files that matter.

It is done only if the request is met as a whole; a good part of it is not enough. Call task_complete then, and only then. Else say what has to change, most important first, with files and lines, and end with a line "Score: N": from 0, nothing of what was asked is there, to 100, all of it is there, and checked.`;

const SMART = `Another agent has worked on the request below and gave the answer below. Check the result against the request; read the files that matter instead of trusting the account.

Then do one of three things:
- It is right: call task_complete.
- Little is wrong, and you can put it right yourself: do so, check it, then say in a few lines what you changed and call task_complete.
- More is wrong, or it needs another way: do not call task_complete. Say what has to change, most important first, with files and lines, and end with a line "Score: N", from 0 to 100, for how much of the request is met.`;

const CHAT = `You and another agent work on the request below together, in turns. It has just had its turn; its answer is below. Now it is yours: take the work further where you can, say what you think of the last turn, and put to the other agent what it should do next. Call task_complete when the request is met and neither of you has anything to add that matters.`;

/** Of a `hitl` it is told nobody, and stands for the shape alone. */
export function defaultHandoff(type: ControlFlow, hasCoagent: boolean): HandoffPrompt {
  const texts = { hitl: LOOP_ALONE, loop: hasCoagent ? LOOP : LOOP_ALONE, judge: JUDGE, smart: SMART, chat: CHAT };
  return { type: 'static', text: texts[type] };
}
