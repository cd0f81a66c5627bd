/** Words of the panel that says what a conversation's lead is told. */
import { plural } from './sentences.ts';

export const contextWords = {
  title: 'Context',
  close: 'Close the context',
  failed: 'What the lead is told could not be read',
  told: 'The project tells the lead',
  path: (path: string, cut: boolean) => (cut ? `${path} (its beginning)` : path),
  none: 'Nothing: there is no AGENTS.md or CLAUDE.md here, or none is trusted.',
  /** What stands here holds from the next message on. */
  from: 'As the files are now: your next message has them. They permit nothing.',
  waiting: (count: number) => `${plural(count, 'file waits', 'files wait')} for your trust, untold until then`,
  look: 'Look and trust',
} as const;
