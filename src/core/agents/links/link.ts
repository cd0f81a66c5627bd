/** What an agent's file names another one for. */
import type { Position } from '../entries.ts';

export interface Link {
  use: 'next' | 'primary' | 'coagent';
  /** As the file names it: a name, `agent__NAME`, a path, or the name of a file. */
  wanted: string;
  key: string;
  /** From 0, in a list; null for a single one. */
  item: number | null;
  at: Position;
}
