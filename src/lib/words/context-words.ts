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
  /** How full the context of an agent is. */
  gauge: {
    label: 'Context of the lead',
    of: (used: string, window: string | null) => (window === null ? `${used} in context` : `${used} of ${window}`),
    /** Said to who points at it. */
    says: (used: string, window: string | null, compactAt: string | null) =>
      `Its last request and the answer had ${used} tokens${window === null ? '' : `; the model reads ${window} at most`}.${compactAt === null ? '' : ` From ${compactAt} on the oldest part is summarised.`}`,
    compact: 'Compact now',
    compactWhy: 'Summarise the oldest part to make room; /compact does the same. It can be undone.',
    now: 'Summarising the context…',
    failed: 'The context was not compacted',
  },
  /** What fills it. */
  parts: {
    title: 'What fills it',
    failed: 'What fills the context could not be read',
    share: (tokens: string, percent: number) => `${tokens} · ${percent === 0 ? 'under 1' : percent} %`,
    estimated: (used: string) =>
      `Estimated by length: together the ${used} tokens that its last request and the answer, or the compaction since, left in it.`,
    kinds: {
      system: 'System prompt',
      tools: 'Tools',
      summary: 'Summary of what was compacted',
      messages: 'Your messages',
      answers: 'Answers and calls',
      results: 'Results of calls',
      remarks: 'Remarks of the program',
    },
    why: {
      system: 'Who it is and how it works, with what the project tells it',
      tools: 'What each tool does and takes',
      summary: 'Stands for the oldest part; what you said and decided is in it word for word',
      messages: 'With pictures and attached files',
      answers: 'All that it wrote and thought, and what it called',
      results: 'What it read, what commands printed, and what its sub-agents reported',
      remarks: 'Also reports of sub-agents that went on in the background',
    },
  },
  compaction: {
    line: (before: string, after: string, auto: boolean) =>
      `Context compacted${auto ? '' : ' by you'}: ${before} → ${after} tokens`,
    undone: 'undone',
    undo: 'Undo',
    redo: 'Compact again',
    undoFailed: 'The compaction could not be changed',
    kept: 'Kept word for word, as the agent reads it',
  },
} as const;
