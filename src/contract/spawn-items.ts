/** The sub-agents that an approval is about. */
import type { SpawnItem, Subject } from './approval.ts';

export type SpawnSubject = Extract<Subject, { kind: 'envelopes' }>;

/** Whether a yes would start sub-agents. */
export function isSpawn(subject: Subject): subject is SpawnSubject {
  return subject.kind === 'envelopes';
}

/** The sub-agents that a yes would start, in the order of the answers; empty for every other subject. */
export function spawnItems(subject: Subject): readonly SpawnItem[] {
  return isSpawn(subject) ? subject.items : [];
}

/**
 * Returns whether the person asked for one of its sub-agents to run again. The question is then theirs alone, also about
 * siblings of the same call, and has no time limit.
 */
export function isOwnWish(subject: Subject): boolean {
  return spawnItems(subject).some(({ again }) => again !== undefined);
}

/** Returns whether a question has no time limit: the person asked for it, or a run waits at its limit. */
export function waitsWithoutEnd(subject: Subject): boolean {
  return subject.kind === 'limit' || isOwnWish(subject);
}

/** Index of the item that would start a run; -1 where none would. */
export function spawnIndex(subject: Subject, runId: string): number {
  return spawnItems(subject).findIndex((item) => item.runId === runId);
}
