/** What a conversation is called: a fork by what it was forked from, until the person calls it something else. */
import type { ConversationRow } from '#contract/view.ts';
import { text } from '#lib/words/text.ts';

export function conversationTitle({ title, from }: Pick<ConversationRow, 'title' | 'from'>): string {
  const known = title || text.sidebar.untitled;
  return from && title === from.title ? text.turn.forkOf(known, from) : known;
}
