/** Finds text in the loaded messages of a conversation. */
import { matchesIn } from '#lib/ui/text-matches.ts';
import type { View } from '#lib/view/reduce.ts';

/** Indexes of the workflows whose prompt or lead's text contains `words` as a whole, ignoring case. */
export function messagesWith(view: View, words: string): number[] {
  const sought = words.trim().toLowerCase();
  if (sought === '') return [];
  return view.workflows.flatMap(({ prompt, runId }, index) => {
    const said = (view.entries[runId] ?? []).flatMap((entry) =>
      entry.kind === 'assistant' ? entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
    );
    const shown = [prompt, ...said.map(withoutMarks)];
    return shown.some((text) => matchesIn(text, [sought]).length > 0) ? [index] : [];
  });
}

/** The text without Markdown marks, as it reads on the page. */
function withoutMarks(markdown: string): string {
  return markdown.replace(/[*_`~#]/g, '').replace(/[ \t]+/g, ' ');
}
