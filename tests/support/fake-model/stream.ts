/** Writes the events of a response as the API's server-sent events, by the types of its SDK. */
import type Anthropic from '@anthropic-ai/sdk';
import type { Block, ReplyOptions } from './script.ts';

/** One event, ready to be sent, and how long it waits for its turn after the one before. */
export interface Chunk {
  data: string;
  delayMs: number;
}

type Event = Anthropic.RawMessageStreamEvent;
type BlockStart = Anthropic.RawContentBlockStartEvent['content_block'];

/** How a block begins, and what follows. */
interface Parts {
  start: BlockStart;
  deltas: Anthropic.RawContentBlockDelta[];
  delayMs?: number | undefined;
}

const DIRECT = { type: 'direct' } as const;

const DEFAULT_USAGE = {
  input: 100,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 20,
  thinking: 0,
  searches: 0,
};

export function sse(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** One of the API's own; what is none goes through `sse`. */
function eventOf({ type, ...data }: Event): string {
  return sse(type, data);
}

/** The only event that differs from one response to the next. */
export function startOf(id: string, model: string, { usage = {} }: ReplyOptions): string {
  const count = { ...DEFAULT_USAGE, ...usage };
  return eventOf({
    type: 'message_start',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      container: null,
      diagnostics: null,
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: {
        ...inputUsage(count),
        cache_creation: {
          ephemeral_5m_input_tokens: count.cacheWrite5m,
          ephemeral_1h_input_tokens: count.cacheWrite1h,
        },
        output_tokens: 1,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: 'standard',
        inference_geo: null,
        speed: null,
      },
    },
  });
}

/** Input tokens of all classes that the start tells. */
export function inputOf({ usage = {} }: ReplyOptions): number {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = { ...DEFAULT_USAGE, ...usage };
  return input + cacheRead + cacheWrite5m + cacheWrite1h;
}

/** For protocols that count what they had kept as a part of all input. */
export function usageOf(options: ReplyOptions): typeof DEFAULT_USAGE {
  return { ...DEFAULT_USAGE, ...options.usage, input: inputOf(options) };
}

export function stopOf(blocks: Block[], { stopReason }: ReplyOptions): string {
  return stopReason ?? (blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn');
}

/** Every event after the start. */
export function chunksOf(blocks: Block[], options: ReplyOptions, deltaMs: number, newToolId: () => string): Chunk[] {
  const chunks = blocks.flatMap((block, index) => blockChunks(block, index, deltaMs, newToolId));
  const count = { ...DEFAULT_USAGE, ...options.usage };
  const ending = [
    eventOf({
      type: 'message_delta',
      delta: {
        // Scripts may have reasons that nobody knows.
        stop_reason: stopOf(blocks, options) as Anthropic.StopReason,
        stop_sequence: null,
        stop_details: null,
        container: null,
      },
      usage: {
        ...inputUsage(count),
        output_tokens: count.output,
        output_tokens_details: { thinking_tokens: count.thinking },
        server_tool_use: count.searches > 0 ? { web_search_requests: count.searches, web_fetch_requests: 0 } : null,
      },
    }),
    eventOf({ type: 'message_stop' }),
  ];
  return [...chunks, ...ending.map((data) => ({ data, delayMs: 0 }))];
}

function inputUsage(count: typeof DEFAULT_USAGE) {
  return {
    input_tokens: count.input,
    cache_creation_input_tokens: count.cacheWrite5m + count.cacheWrite1h,
    cache_read_input_tokens: count.cacheRead,
  };
}

function blockChunks(block: Block, index: number, deltaMs: number, newToolId: () => string): Chunk[] {
  const { start, deltas, delayMs } = partsOf(block, newToolId);
  return [
    { data: eventOf({ type: 'content_block_start', index, content_block: start }), delayMs: 0 },
    ...deltas.map((delta) => ({
      data: eventOf({ type: 'content_block_delta', index, delta }),
      delayMs: delayMs ?? deltaMs,
    })),
    { data: eventOf({ type: 'content_block_stop', index }), delayMs: 0 },
  ];
}

function partsOf(block: Block, newToolId: () => string): Parts {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '', citations: null },
        deltas: pieces(block.text, block.deltas).map((piece) => ({ type: 'text_delta' as const, text: piece })),
        delayMs: block.delayMs,
      };
    case 'thinking': {
      const words = pieces(block.text, block.deltas).map((piece) => ({
        type: 'thinking_delta' as const,
        thinking: piece,
      }));
      const signature = { type: 'signature_delta' as const, signature: block.signature ?? 'c2lnbmF0dXJl' };
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [...words, signature],
        delayMs: block.delayMs,
      };
    }
    case 'redacted_thinking':
      return { start: { type: 'redacted_thinking', data: block.data }, deltas: [] };
    case 'tool_use': {
      const parts = ['', ...pieces(block.raw ?? JSON.stringify(block.input), block.deltas)];
      return {
        start: {
          type: 'tool_use',
          id: block.id ?? newToolId(),
          name: block.name,
          input: {},
          caller: DIRECT,
        },
        deltas: parts.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
        delayMs: block.delayMs,
      };
    }
    case 'server_tool_use':
    case 'web_search_tool_result':
    case 'cited':
      return searchParts(block);
    case 'unknown':
      return {
        start: { type: block.name, content: 'of no known kind' } as unknown as BlockStart,
        deltas: [{ type: `${block.name}_delta`, value: 1 } as unknown as Anthropic.RawContentBlockDelta],
      };
  }
}

/** Of what the provider looks up itself. */
function searchParts(block: Extract<Block, { type: 'server_tool_use' | 'web_search_tool_result' | 'cited' }>): Parts {
  switch (block.type) {
    case 'server_tool_use': {
      const { type, id, name, input } = block;
      const parts = ['', ...pieces(JSON.stringify(input), 2)];
      return {
        start: { type, id, name: name as Anthropic.ServerToolUseBlock['name'], input: {}, caller: DIRECT },
        deltas: parts.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      };
    }
    case 'web_search_tool_result':
      return { start: { ...block, content: block.content as never, caller: DIRECT }, deltas: [] };
    case 'cited':
      return {
        start: { type: 'text', text: '', citations: [] },
        deltas: [
          { type: 'text_delta', text: block.text },
          { type: 'citations_delta', citation: block.citation as never },
        ],
      };
  }
}

/** So many pieces of about the same size (fewer for short words), never cut within a code point. */
export function pieces(words: string, deltas = 1): string[] {
  if (deltas === 1) return words === '' ? [] : [words];
  const points = [...words];
  const found: string[] = [];
  for (let piece = 0; piece < deltas; piece++) {
    const from = Math.floor((piece * points.length) / deltas);
    const to = Math.floor(((piece + 1) * points.length) / deltas);
    if (to > from) found.push(points.slice(from, to).join(''));
  }
  return found;
}
