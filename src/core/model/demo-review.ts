/** The demo's reviewer, the coagent of a lead: asks for what the folder's introduction holds, and is content once the answer says it. */
import { fileWorthReading, listedLines } from './demo-facts.ts';
import type { Reply, Scene } from './demo-scene.ts';

const HANDED = /^## The answer of .+ \(round \d+ of \d+\)$/m;
/** What its words to the lead name. */
const ASKED = /^Read `([^`\n]+)` and say/m;

/** Null where the prompt hands over no answer, or nobody may be told that it is complete. */
export function reviewReply({ prompt, calls, can }: Scene): Reply | null {
  const handed = HANDED.exec(prompt);
  if (!handed || !can('task_complete')) return null;
  const [listed] = calls;
  if (!listed && can('list_directory'))
    return {
      text: 'I look at the folder myself.',
      calls: [{ id: 'demo_review_list', name: 'list_directory', input: {} }],
    };
  const file = listed && !listed.isError ? fileWorthReading(listedLines(listed.output)) : undefined;
  const answer = prompt.slice(handed.index);
  if (file === undefined || answer.includes(`\`${file}\` has `) || answer.includes(`\`${file}\` is empty`)) {
    const summary = 'The answer says what the folder holds, and what introduces it.\n\nScore: 95';
    return { text: '', calls: [{ id: 'demo_review_done', name: 'task_complete', input: { summary } }] };
  }
  return {
    text: `Read \`${file}\` and say what it holds: the answer names it, and nothing of it.\n\nScore: 60`,
    calls: [],
  };
}

/** The file that the reviewer has asked for, in the notes of its lead; undefined where it asked for none. */
export function fileAskedFor(notes: readonly string[]): string | undefined {
  return notes.flatMap((note) => ASKED.exec(note)?.[1] ?? []).at(-1);
}
