/** The parts of a question that are answered alone. */
import type { Subject } from '#contract/approval.ts';
import { isSpawn } from '#contract/spawn-items.ts';

/** The hash that an answer binds, for each item in order: one for each sub-agent, or the only one. */
export function itemHashes(subject: Subject): string[] {
  return isSpawn(subject) ? subject.items.map(({ hash }) => hash) : [subject.hash];
}
