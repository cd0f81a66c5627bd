/** Whose word it is that what is asked about cannot be undone, as the beginning of a sentence. */
import type { Approval } from './approval.ts';

export function irreversibleText({ kind }: Pick<Approval['request']['subject'], 'kind'>): string {
  return kind === 'action' ? 'Its agent says that this cannot be undone' : 'This cannot be undone';
}
