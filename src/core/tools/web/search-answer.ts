/** What a search found, in the forms in which searches answer. */
import { z } from 'zod';

export interface Found {
  title: string;
  url: string;
  /** Empty where it gives none. */
  snippet: string;
}

/** Characters of one snippet. */
const MAX_SNIPPET = 500;

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
  const found = answer.data.flatMap((one) => {
    const { success, data } = Result.safeParse(one);
    return success ? [data] : [];
  });
  return found.slice(0, most).map(({ url, title, snippet, content, description }) => ({
    title: plain(title),
    url,
    snippet: plain(snippet ?? content ?? description).slice(0, MAX_SNIPPET),
  }));
}

/** On one line, without the marks that some searches put around what matched. */
function plain(text: string | null | undefined): string {
  return (text ?? '')
    .replace(/<\/?(strong|b|em)>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
