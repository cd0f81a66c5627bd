/** The ids of the rows of memory notes: the notes of one agent scope in one folder have one owner. */
import type { RowKey } from '#contract/rows.ts';

export function memoryKey(scope: string, folder: string, name: string): RowKey {
  return [memoryOwner(scope, folder), name];
}

/** Unambiguous, because no scope contains a line break. */
export function memoryOwner(scope: string, folder: string): string {
  return `${scope}\n${folder}`;
}
