/** A yes for more than once that is chosen in a form: it is what the button says and its key does. */
import { MediaQuery } from 'svelte/reactivity';
import type { Subject } from '#contract/approval.ts';
import type { Draft } from '#lib/app/approval-draft.svelte.ts';
import type { GrantDraft } from '#lib/app/grant-draft.svelte.ts';

/** In a window so low its form stands with the question, which keeps at least half of the height. */
export const isLow = new MediaQuery('max-height: 40rem', false);

/** The form that is open; an edited answer holds once. */
export function widerOf({ edits, grant }: Draft): GrantDraft | null {
  return edits === 0 && grant?.open ? grant : null;
}

/** Where its pattern is of files: null of the name of a sub-agent, of a command, of an address. */
export function patternFolder(subject: Subject): string | null {
  if (subject.kind !== 'tool') return null;
  const { path, from } = Object(subject.input) as Record<string, unknown>;
  return [path, from].some((one) => typeof one === 'string') ? subject.folder : null;
}
