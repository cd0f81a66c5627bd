/** Finds what an answer still needs before a yes says something. */
import type { Draft } from '#lib/app/approval-draft.svelte.ts';
import { text } from '#lib/words/text.ts';

/** Returns a sentence for the person; empty if nothing is missing. */
export function findMissing(draft: Draft): string {
  if (draft.kind === 'replies' && draft.answered === 0) return text.approval.noReply;
  return draft.kind === 'limit' && !draft.isValid ? text.work.budget.nothing : '';
}
