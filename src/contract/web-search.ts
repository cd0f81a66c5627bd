/** What a provider looked up in the web by itself, read from the blocks of its responses. */
import type { AssistantEntry, Entry, Part, ToolEntry } from './message.ts';

type ServerBlock = Extract<Part, { type: 'server' }>['block'];

const CALL = 'server_tool_use';
const RESULT = 'web_search_tool_result';

/** How many searches of the web, as the end of a list; empty where there are none. */
export function searchesText(searches = 0): string {
  if (searches === 0) return '';
  return `, ${searches.toLocaleString('en-US')} ${searches === 1 ? 'search' : 'searches'} of the web`;
}

/** The call that a block is; null for any other block. */
export function serverCallOf(block: ServerBlock): { id: string; name: string; input: unknown } | null {
  const { type, id, name, input } = block;
  return type === CALL && typeof id === 'string' && typeof name === 'string' ? { id, name, input } : null;
}

/** The id of the call whose result a block is; null for any other block. */
export function serverResultOf(block: ServerBlock): string | null {
  const { type, tool_use_id: id } = block;
  return type !== CALL && typeof id === 'string' ? id : null;
}

/** Whether the block is a search that was done: those that failed cost nothing. */
export function isSearchDone({ type, content }: ServerBlock): boolean {
  return type === RESULT && Array.isArray(content);
}

/** The results of the calls that the provider made itself, by call id: one that paused has them in its next response. */
export function serverResults(entries: readonly Entry[]): Map<string, ServerBlock> {
  const found = new Map<string, ServerBlock>();
  for (const entry of entries)
    for (const part of entry.kind === 'assistant' ? entry.parts : []) {
      const id = part.type === 'server' ? serverResultOf(part.block) : null;
      if (part.type === 'server' && id !== null) found.set(id, part.block);
    }
  return found;
}

/** A result in the form of a tool's. */
export function serverEntry(
  { n, at }: Pick<AssistantEntry, 'n' | 'at'>,
  { id, name }: { id: string; name: string },
  block: ServerBlock,
): ToolEntry {
  const status = errorOf(block) === null ? ('completed' as const) : ('error' as const);
  return { kind: 'tool', n, at, toolCallId: id, name, status, output: serverText(block), durationMs: 0, metadata: {} };
}

/** What a result says, in words: a title and an address on each line, or the error. */
export function serverText(block: ServerBlock): string {
  const error = errorOf(block);
  if (error !== null) return `The search failed: ${ERRORS[error] ?? error}`;
  const { content } = block;
  const found = (Array.isArray(content) ? content : []).flatMap((one: unknown) => {
    const { title, url } = Object(one) as Record<string, unknown>;
    return typeof url === 'string' ? [typeof title === 'string' && title !== '' ? `${title} — ${url}` : url] : [];
  });
  return found.join('\n') || 'Nothing was found';
}

/** The code of the error that a result is; null where it is none. */
function errorOf({ content }: ServerBlock): string | null {
  const { error_code: code } = Object(content) as Record<string, unknown>;
  return typeof code === 'string' ? code : null;
}

const ERRORS: Readonly<Record<string, string>> = {
  invalid_tool_input: 'its query was not valid',
  unavailable: 'the provider could not search now',
  max_uses_exceeded: 'the most searches of one request were made (web.search.max_uses)',
  too_many_requests: 'the provider was asked for too many searches',
  query_too_long: 'its query was too long',
  request_too_large: 'the request was too large',
};
