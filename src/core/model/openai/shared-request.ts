/** What requests of both protocols have in common. */
import type { Part } from '#contract/message.ts';
import type { ModelRequest, ToolResultPart, ToolSpec, WireMessage } from '../model.ts';
import { type ServerResults, serverWords } from '../server-words.ts';

/** A parameter that an endpoint did not take, and that is left out, or goes by another name, from then on. */
export type Refused = 'max_tokens' | 'max_completion_tokens' | 'stream_options' | 'reasoning.summary';

/** What is known of the endpoint and the model. */
export interface Traits {
  /** The vendor's own endpoint. */
  isOwn: boolean;
  /** Whether the model thinks; null where nobody knows. */
  thinks: boolean | null;
  refused: ReadonlySet<string>;
  /** Signatures of thinking that it could not read. */
  unread: ReadonlySet<string>;
}

type UserContent = Extract<WireMessage, { role: 'user' }>['content'];

/** Those that the endpoint can call; what a provider would do by itself it can't. */
export function callable({ tools }: ModelRequest): ToolSpec[] {
  return tools.filter(({ server }) => server === undefined);
}

export function resultsOf(content: UserContent): ToolResultPart[] {
  return content.filter((part) => part.type === 'tool_result');
}

/** What is not the result of a call: words, and pictures as addresses that hold them. */
export type Said = { text: string } | { url: string };

export function saidBy(content: UserContent): Said[] {
  return content.flatMap((part): Said[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ text: part.text }];
    const url = part.type === 'image' ? dataUrl(part) : null;
    return url === null ? [] : [{ url }];
  });
}

/** These protocols have no place that says that a call failed. */
export function outputOf({ output, isError }: ToolResultPart): string {
  return isError ? `Error: ${output}` : output;
}

export function dataUrl({ image }: Pick<ToolResultPart, 'image'>): string | null {
  return image?.data === undefined ? null : `data:${image.mediaType};base64,${image.data}`;
}

/** Text of an answer; what another provider has looked up by itself is text, too. */
export function saidIn(part: Part, results: ServerResults): string | null {
  const text = part.type === 'text' ? part.text : part.type === 'server' ? serverWords(part.block, results) : null;
  return text === null || text.trim() === '' ? null : text;
}

/** Always JSON: servers exist that read the arguments of earlier calls. */
export function argumentsText(input: unknown): string {
  return JSON.stringify(typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {});
}
