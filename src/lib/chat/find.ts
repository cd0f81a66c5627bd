/** Finds text in the loaded messages of a conversation. */
import { matchesIn } from '#lib/ui/text-matches.ts';
import { textsOfCall } from '#lib/view/folds.ts';
import type { View } from '#lib/view/reduce.ts';

/** Indexes of the workflows whose prompt, lead's text or lines of its calls contain `words` as a whole, ignoring case. */
export function messagesWith(view: View, words: string): number[] {
  const sought = words.trim().toLowerCase();
  if (sought === '') return [];
  return view.workflows.flatMap(({ prompt, runId }, index) => {
    const said = (view.entries.get(runId) ?? []).flatMap((entry) =>
      entry.kind === 'assistant' ? entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
    );
    const called = (view.entries.get(runId) ?? []).flatMap((entry) =>
      entry.kind === 'assistant'
        ? entry.parts.flatMap((part) => (part.type === 'tool_use' ? textsOfCall(part) : []))
        : [],
    );
    const shown = [prompt, ...said.map(withoutMarks), ...called];
    return shown.some((text) => matchesIn(text, [sought]).length > 0) ? [index] : [];
  });
}

/** The text without Markdown marks, as it reads on the page. */
function withoutMarks(markdown: string): string {
  return markdown.replace(/[*_`~#]/g, '').replace(/[ \t]+/g, ' ');
}
