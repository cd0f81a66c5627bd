/** Which messages of a conversation hold words, as far as they are loaded. */
import { matchesIn } from '#lib/ui/text-matches.ts';
import type { View } from '#lib/view/reduce.ts';

/** Indexes of the workflows in whose open text all of it occurs: the person's words and the lead's. */
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

/** As it reads on the page, as far as words go. */
function withoutMarks(markdown: string): string {
  return markdown.replace(/[*_`~#]/g, '').replace(/[ \t]+/g, ' ');
}
