/** What a response says, in one text. Pure. */
import type { AssistantEntry, Part } from '../message.ts';
import { serverCallOf } from '../web-search.ts';

export function textOf({ parts }: Pick<AssistantEntry, 'parts'>): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : isOwnCall(part) ? ['\n\n'] : []))
    .join('')
    .trim();
}

/** Words before a search and those after it are no one sentence. */
function isOwnCall(part: Part): boolean {
  return part.type === 'server' && serverCallOf(part.block) !== null;
}
