/** What the result of a call says of the files that it changed. */
import type { ChangeSet } from '#contract/change.ts';

/** Paths that the metadata names; the change set has all. */
const MAX_NAMED = 1000;
const NAMED_TO_MODEL = 10;

/** For the person: the call can be undone. */
export function changedMetadata(changed: ChangeSet | null): Record<string, unknown> {
  const [path, ...also] = (changed?.files ?? []).map((file) => file.path);
  const notKept = changed?.notKept ?? [];
  return {
    ...(path === undefined ? {} : { path, undoable: true }),
    ...(also.length > 0 ? { also: also.slice(0, MAX_NAMED), files: also.length + 1 } : {}),
    ...(notKept.length > 0 ? { notKept: notKept.slice(0, MAX_NAMED) } : {}),
  };
}

/** Returns the result of a call that had started when the work was interrupted. */
export function formatUnknownOutcome(changed: ChangeSet | null): string {
  const files = changed?.files.length ? `\n[files that it has changed, or was about to: ${changedNames(changed)}]` : '';
  return `Interrupted while it ran, outcome unknown: look at what it has done before you do it again${files}`;
}

/** For the model: the first of them. */
export function changedNames({ files }: ChangeSet): string {
  const names = files.slice(0, NAMED_TO_MODEL).map(({ path }) => path);
  return names.join(', ') + (files.length > names.length ? ` and ${files.length - names.length} more` : '');
}
