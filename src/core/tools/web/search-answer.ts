/** What a search found, in the forms in which searches answer. */
import { z } from 'zod';
import { cutAtCodePoint } from '../../base/text.ts';

export interface Found {
  title: string;
  url: string;
  /** Empty where it gives none. */
  snippet: string;
}

/** Characters of one title, and of one snippet. */
const MAX_SNIPPET = 500;
/** Results that are looked at: each costs time. */
const MAX_RESULTS = 500;
/** Characters of one text that are looked at. */
const MAX_TEXT = 4 * MAX_SNIPPET;

const words = z.string().nullish().catch(null);
const Result = z.object({
  url: z.url({ protocol: /^https?$/ }),
  title: words,
  snippet: words,
  content: words,
  description: words,
});
const Results = z.array(z.unknown());
/** SearXNG and most others; then Brave, which leaves `web` out where it found nothing. */
const Answer = z.union([
  z.object({ results: Results }).transform(({ results }) => results),
  z.object({ web: z.object({ results: Results }) }).transform(({ web }) => web.results),
  z.object({ type: z.literal('search'), web: z.never().optional() }).transform(() => []),
]);

/** Null for what is no such answer. Results without an address of the web are left out. */
export function readAnswer(text: string, most: number): Found[] | null {
  const answer = Answer.safeParse(parsed(text));
  if (!answer.success) return null;
  const found = answer.data.slice(0, MAX_RESULTS).flatMap((one) => {
    const { success, data } = Result.safeParse(one);
    return success ? [data] : [];
  });
  return found.slice(0, most).map(({ url, title, snippet, content, description }) => ({
    title: plain(title),
    url,
    snippet: plain(snippet ?? content ?? description),
  }));
}

/** Cut, on one line, without the marks that some searches put around what matched. */
function plain(text: string | null | undefined): string {
  const words = (text ?? '')
    .slice(0, MAX_TEXT)
    .replace(/<\/?(strong|b|em)>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return cutAtCodePoint(words, MAX_SNIPPET);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
