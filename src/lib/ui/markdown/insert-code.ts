/** What takes code out of a text that is shown, to put it into a file. */
import { createContext } from 'svelte';

type InsertCode = (code: string, language: string) => void;

const [get, set, has] = createContext<InsertCode>();

export const setInsertCode = set;

/** Null where there is nothing that could take it. */
export function getInsertCode(): InsertCode | null {
  return has() ? get() : null;
}
