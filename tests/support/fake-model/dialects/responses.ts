/** The Responses API. */
import type OpenAI from 'openai';
import type { WireBody, WireMessage } from '../request.ts';
import type { Block } from '../script.ts';
import { type Chunk, pieces, sse, stopOf, usageOf } from '../stream.ts';
import { type Dialect, errorOf, inputOfCall, joined, type Reply, resultBlock } from './dialect.ts';

type Event = OpenAI.Responses.ResponseStreamEvent;
type Item = OpenAI.Responses.ResponseOutputItem;
type Body = Partial<OpenAI.Responses.ResponseCreateParamsStreaming>;
/** Numbered when it is sent. */
type Unnumbered<E> = E extends { sequence_number: number } ? Omit<E, 'sequence_number'> : never;

function eventOf(event: Unnumbered<Event>, sequence: number): string {
  return sse(event.type, { ...event, sequence_number: sequence });
}

const INCOMPLETE: Readonly<Record<string, string>> = { max_tokens: 'max_output_tokens', refusal: 'content_filter' };

interface ResponseFields {
  status?: NonNullable<OpenAI.Responses.Response['status']>;
  output?: Item[];
  usage?: OpenAI.Responses.ResponseUsage;
  incomplete_details?: OpenAI.Responses.Response['incomplete_details'];
}

function responseOf({ id, model }: Reply, fields: ResponseFields): OpenAI.Responses.Response {
  return {
    id,
    object: 'response',
    created_at: 1_790_000_000,
    model,
    status: 'in_progress',
    output: [],
    output_text: '',
    access_programs: null,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: null,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    ...fields,
  };
}

/** How an item begins, what streams of it, and how it is at its end. */
interface Streamed {
  begun: Item;
  deltas: Unnumbered<Event>[];
  whole: Item;
}

function streamedOf(block: Block, output_index: number, newToolId: () => string): Streamed | null {
  const item_id = `item_${output_index}`;
  const at = { item_id, output_index };
  switch (block.type) {
    case 'text':
    case 'cited': {
      const item = { id: item_id, type: 'message', role: 'assistant' } as const;
      const part = { type: 'output_text', text: block.text, annotations: [] } as const;
      const words = pieces(block.text, block.type === 'text' ? block.deltas : 1);
      return {
        begun: { ...item, status: 'in_progress', content: [] },
        deltas: words.map((delta) => {
          return { type: 'response.output_text.delta', ...at, content_index: 0, delta, logprobs: [] };
        }),
        whole: { ...item, status: 'completed', content: [{ ...part, annotations: [] }] },
      };
    }
    case 'thinking': {
      const item = { id: item_id, type: 'reasoning' } as const;
      const signature = block.signature ?? 'c2lnbmF0dXJl';
      return {
        begun: { ...item, summary: [] },
        deltas: pieces(block.text, block.deltas).map((delta) => {
          return { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta };
        }),
        whole: { ...item, summary: [{ type: 'summary_text', text: block.text }], encrypted_content: signature },
      };
    }
    case 'tool_use': {
      const [call_id, words] = [block.id ?? newToolId(), block.raw ?? JSON.stringify(block.input)];
      const item = { id: item_id, type: 'function_call', call_id, name: block.name } as const;
      return {
        begun: { ...item, arguments: '', status: 'in_progress' },
        deltas: pieces(words, block.deltas).map((delta) => {
          return { type: 'response.function_call_arguments.delta', ...at, delta };
        }),
        whole: { ...item, arguments: words, status: 'completed' },
      };
    }
    default:
      return null;
  }
}

function chunks(blocks: Block[], reply: Reply, deltaMs: number, newToolId: () => string): Chunk[] {
  const found: Chunk[] = [];
  const add = (event: Unnumbered<Event>, delayMs = 0): void => {
    found.push({ data: eventOf(event, found.length + 1), delayMs });
  };
  const output: Item[] = [];
  for (const block of blocks) {
    const [output_index, delayMs] = [output.length, 'delayMs' in block ? block.delayMs : undefined];
    const streamed = streamedOf(block, output_index, newToolId);
    if (streamed === null) continue;
    // What the limit has cut off is not whole.
    const isCut = reply.options.stopReason === 'max_tokens' && block === blocks.at(-1);
    if (isCut && streamed.whole.type === 'function_call') streamed.whole.status = 'incomplete';
    output.push(streamed.whole);
    add({ type: 'response.output_item.added', output_index, item: streamed.begun });
    for (const delta of streamed.deltas) add(delta, delayMs ?? deltaMs);
    add({ type: 'response.output_item.done', output_index, item: streamed.whole });
  }
  const [stop, usage] = [stopOf(blocks, reply.options), usageIn(reply)];
  const isWhole = stop === 'end_turn' || stop === 'tool_use';
  // A reason may be any text, as it is in the other protocols.
  const incomplete_details = { reason: (INCOMPLETE[stop] ?? stop) as 'content_filter' };
  if (isWhole) add({ type: 'response.completed', response: responseOf(reply, { status: 'completed', output, usage }) });
  else {
    const response = responseOf(reply, { status: 'incomplete', output, usage, incomplete_details });
    add({ type: 'response.incomplete', response });
  }
  return found;
}

function usageIn({ options }: Reply): OpenAI.Responses.ResponseUsage {
  const { input, cacheRead, output, thinking } = usageOf(options);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thinking },
    total_tokens: input + output,
  };
}

function messageOf(item: OpenAI.Responses.ResponseInputItem): WireMessage[] {
  if (item.type === 'function_call')
    return [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: item.call_id, name: item.name, input: inputOfCall(item.arguments) }],
      },
    ];
  if (item.type === 'function_call_output')
    return [{ role: 'user', content: [resultBlock(item.call_id ?? '', textIn(item.output))] }];
  if (!('content' in item) || !('role' in item)) return [];
  return [{ role: item.role, content: [{ type: 'text', text: textIn(item.content) }] }];
}

function textIn(content: string | readonly object[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => ('text' in part ? [String(part.text)] : [])).join('\n');
}

function read(body: Body): WireBody {
  const items = Array.isArray(body.input) ? body.input : [];
  const tools = (body.tools ?? []).flatMap((tool) => (tool.type === 'function' ? [tool] : []));
  return {
    model: String(body.model ?? ''),
    max_tokens: body.max_output_tokens ?? 0,
    stream: body.stream ?? false,
    system: body.instructions ?? '',
    messages: joined(items.flatMap(messageOf)),
    tools: tools.map(({ name, parameters }) => ({ name, input_schema: parameters ?? {} })),
    ...(typeof body.tool_choice === 'string' ? { tool_choice: { type: body.tool_choice } } : {}),
    ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
    ...(body.reasoning?.effort ? { output_config: { effort: body.reasoning.effort } } : {}),
  };
}

/** Thinking that nothing follows, and thinking that is not kept here and came without what is encrypted. */
function refusal({ input }: Body): string | null {
  const items = Array.isArray(input) ? input : [];
  for (const [index, item] of items.entries()) {
    if (item.type !== 'reasoning') continue;
    const next = items[index + 1];
    const follows =
      next !== undefined && (next.type === 'function_call' || next.type === 'reasoning' || 'role' in next);
    if (!item.encrypted_content) return `Item with id '${item.id}' not found: items are not persisted`;
    if (!follows) return `Item '${item.id}' of type 'reasoning' was provided without its required following item`;
  }
  return null;
}

export const responses: Dialect = {
  path: '/v1/responses',
  idPrefix: 'resp_',
  read,
  refusal,
  start: (reply) => eventOf({ type: 'response.created', response: responseOf(reply, {}) }, 0),
  chunks,
  errorEvent: (type, message) =>
    eventOf({ type: 'error', code: type, message, param: null } satisfies Unnumbered<Event>, 999),
  errorBody: errorOf,
};
