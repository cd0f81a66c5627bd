/** What a search finds by its name: conversations by their titles, and agents. */
import type { TitleHit } from '#contract/view.ts';
import { hitsIn, termsIn } from '#core/store/search/words.ts';
import type { Store } from '#core/store/store.ts';

/** Most of each. */
const MOST = 5;
/** The newest conversations whose titles are looked at, and those of one read. */
const [LOOKED_AT, READ] = [2000, 500];

export interface NamesFound {
  /** Last used first. */
  titles: TitleHit[];
  /** Those that have worked, most often first. */
  agents: string[];
}

export async function namesFound(
  store: Pick<Store, 'conversations' | 'facets'>,
  text: string,
): Promise<Partial<NamesFound>> {
  const terms = termsIn(text);
  if (!terms) return {};
  const titles: TitleHit[] = [];
  let before: string | undefined;
  for (let looked = 0; looked < LOOKED_AT && titles.length < MOST; looked += READ) {
    const { items, next } = await store.conversations({ limit: READ, before });
    for (const { id, title, updatedAt } of items) {
      const hits = hitsIn(title, terms)?.map(({ start, end }) => ({ start, end }));
      if (hits && titles.length < MOST) titles.push({ conversationId: id, title, at: updatedAt, hits });
    }
    if (next === null) break;
    before = next;
  }
  const agents = (await store.facets()).agents.filter((name) => hitsIn(name, terms)).slice(0, MOST);
  return { ...(titles.length > 0 && { titles }), ...(agents.length > 0 && { agents }) };
}
