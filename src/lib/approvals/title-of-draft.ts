/** What wants to be done, as the form of its question stands now. */
import { editedTitle } from '#contract/approvals/edited-title.ts';
import type { Draft } from '#lib/app/approval-draft.svelte.ts';
import type { Question } from '#lib/view/phase.ts';
import { titleOfQuestion } from '#lib/words/question-texts.ts';
import { text } from '#lib/words/text.ts';

export function titleOfDraft(question: Pick<Question, 'approval' | 'spawn'>, draft: Draft): string {
  if (draft.kind !== 'tool' || draft.edits === 0) return titleOfQuestion(question);
  const { original, path, command } = draft;
  return text.said.title(editedTitle(question.approval.request, original, { path, command }));
}
