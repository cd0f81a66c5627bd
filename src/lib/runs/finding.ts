/** What is being looked for in a conversation: folded lines that have it open by themselves. */
import { getContext, setContext } from 'svelte';

export interface Finding {
  /** In lower case; empty while nothing is looked for. */
  readonly words: string;
}

const KEY = Symbol('finding');

export function setFinding(finding: Finding): void {
  setContext(KEY, finding);
}

/** Empty words where nobody can look for anything. */
export function getFinding(): Finding {
  return getContext<Finding | undefined>(KEY) ?? { words: '' };
}
