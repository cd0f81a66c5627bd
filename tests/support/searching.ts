/** The two ways to search lines: with ripgrep, asked from the first file on, and without. */
import { findRipgrep } from '#core/tools/search/ripgrep.ts';
import type { SearchOptions } from '#core/tools/search/search.ts';

/** Of this machine; null where it is not installed. */
export const RIPGREP = await findRipgrep(process.env, { folder: '/nowhere' });

/** With a program in place of ripgrep. */
export const asking = (ripgrep: string): SearchOptions => ({ ripgrep, ask: { afterMs: 0, files: 1 } });

export const WAYS: readonly (readonly [string, SearchOptions])[] = [
  ['without ripgrep', { ripgrep: null }],
  ...(RIPGREP === null ? [] : [['with ripgrep', asking(RIPGREP)] as const]),
];
