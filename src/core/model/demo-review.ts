/** The demo's reviewer, the coagent of a lead: asks which folders were not opened, and is content once the answer says it. */
import { listedLines, SCRIPTED } from './demo-facts.ts';
import type { DoneCall, Reply, Scene } from './demo-scene.ts';

const HANDED = /^## The answer of .+ \(round \d+ of \d+\)$/m;
const WISH = 'Say which folders you have not opened yourself';
const SAID = 'Not opened by me: ';

/** Null where the prompt hands over no answer. In a loop the other one ends the work; only a lead is asked for more. */
export function reviewReply({ prompt, calls, can }: Scene): Reply | null {
  const handed = HANDED.exec(prompt);
  if (!handed) return null;
  if (!can('task_complete'))
    return { text: 'If all of it is done, call task_complete with your whole answer.', calls: [] };
  const [listed] = calls;
  if (!listed && can('list_directory'))
    return {
      text: 'I look at the folder myself.',
      calls: [{ id: 'demo_review_list', name: 'list_directory', input: {} }],
    };
  const folders = foldersIn(listed);
  const answer = prompt.slice(handed.index);
  if (folders.length > 0 && answer.includes(SCRIPTED) && !answer.includes(SAID))
    return {
      text: `${WISH}: ${folders.length} of them are here, and the answer does not tell.\n\nScore: 60`,
      calls: [],
    };
  const summary = 'The answer says what was looked at, and what was not.\n\nScore: 95';
  return { text: '', calls: [{ id: 'demo_review_done', name: 'task_complete', input: { summary } }] };
}

/** What the lead adds to its answer; empty where nobody has asked for it. */
export function improvement(notes: readonly string[], listed: DoneCall | undefined): string {
  const folders = foldersIn(listed);
  if (folders.length === 0 || !notes.some((note) => note.includes(WISH))) return '';
  return `${SAID}${folders.map((name) => `\`${name}\``).join(', ')}.`;
}

function foldersIn(listed: DoneCall | undefined): string[] {
  if (!listed || listed.isError) return [];
  return listedLines(listed.output).filter((line) => line.endsWith('/'));
}
