/** What a provider has looked up by itself, in words: for requests of those that can't read its blocks. */
import type { Part } from '#contract/message.ts';
import { serverCallOf, serverResultOf, serverText } from '#contract/web-search.ts';
import type { WireMessage } from './model.ts';

type ServerBlock = Extract<Part, { type: 'server' }>['block'];
/** What the provider's own calls gave, by call id. */
export type ServerResults = ReadonlyMap<string, ServerBlock>;

export function resultsIn(messages: readonly WireMessage[]): ServerResults {
  const found = new Map<string, ServerBlock>();
  for (const { content } of messages)
    for (const part of content) {
      const id = part.type === 'server' ? serverResultOf(part.block) : null;
      if (part.type === 'server' && id !== null) found.set(id, part.block);
    }
  return found;
}

/** Null for a block that is no call, and for a call without its result. */
export function serverWords(block: ServerBlock, results: ServerResults): string | null {
  const call = serverCallOf(block);
  const result = call && results.get(call.id);
  return call && result ? `[${call.name} ${JSON.stringify(call.input)}]\n${serverText(result)}` : null;
}
