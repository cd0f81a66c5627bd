/** The demo's reviewer, the coagent of a lead: asks which folders were not opened, and is content once the answer says it. */
import { listedLines } from './demo-facts.ts';
import type { DoneCall, Reply, Scene } from './demo-scene.ts';

const HANDED = /^## The answer of .+ \(round \d+ of \d+\)$/m;

/** Null where the prompt hands over no answer. In a loop the other one ends the work; only a lead is asked for more. */
export function reviewReply({ prompt, calls, can, words }: Scene): Reply | null {
  const handed = HANDED.exec(prompt);
  if (!handed) return null;
  if (!can('task_complete')) return { text: words.isDone, calls: [] };
  const [listed] = calls;
  if (!listed && can('list_directory'))
    return {
      text: words.reviewing,
      calls: [{ id: 'demo_review_list', name: 'list_directory', input: {} }],
    };
  const folders = foldersIn(listed);
  const answer = prompt.slice(handed.index);
  if (folders.length > 0 && answer.includes(words.scripted) && !answer.includes(words.notOpenedByMe))
    return {
      text: `${words.wished(words.wish, folders.length)}\n\nScore: 60`,
      calls: [],
    };
  const summary = `${words.content}\n\nScore: 95`;
  return { text: '', calls: [{ id: 'demo_review_done', name: 'task_complete', input: { summary } }] };
}

/** What the lead adds to its answer; empty where nobody has asked for it. */
export function improvement({ notes, words }: Scene, listed: DoneCall | undefined): string {
  const folders = foldersIn(listed);
  if (folders.length === 0 || !notes.some((note) => note.includes(words.wish))) return '';
  return `${words.notOpenedByMe}${folders.map((name) => `\`${name}\``).join(', ')}.`;
}

function foldersIn(listed: DoneCall | undefined): string[] {
  if (!listed || listed.isError) return [];
  return listedLines(listed.output).filter((line) => line.endsWith('/'));
}
