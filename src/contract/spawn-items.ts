/** The sub-agents that an approval is about. */
import type { SpawnItem, Subject } from './approval.ts';

/** The sub-agents that a yes would start, in the order of the answers; empty for every other subject. */
export function spawnItems(subject: Subject): readonly SpawnItem[] {
  return subject.kind === 'envelopes' ? subject.items : [];
}
