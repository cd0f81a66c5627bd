/** The part of an entry that can be searched, and what it is. */
import type { Entry } from '#contract/message.ts';
import type { SearchHit } from '#contract/view.ts';

/** Longest text of one entry that is searched, in code units: a listing of a whole disk must not fill the index. */
const MAX_CHARS = 20_000;

export interface EntryText {
  kind: SearchHit['kind'];
  text: string;
}

/** Null for what nobody said or read: remarks of the engine, thinking, reports that stand in a sub-agent's run as well. */
export function textOf(entry: Entry, lead: boolean): EntryText | null {
  const { kind, text } = partsOf(entry, lead);
  return text.trim() === '' ? null : { kind, text: text.slice(0, MAX_CHARS) };
}

function partsOf(entry: Entry, lead: boolean): EntryText {
  switch (entry.kind) {
    case 'user':
      return { kind: lead ? 'prompt' : 'task', text: entry.source === 'engine' ? '' : entry.text };
    case 'assistant': {
      const texts = entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      return { kind: lead ? 'answer' : 'report', text: texts.join('\n') };
    }
    case 'tool':
      return { kind: 'tool', text: entry.output };
    case 'system':
      return { kind: 'answer', text: '' };
  }
}
