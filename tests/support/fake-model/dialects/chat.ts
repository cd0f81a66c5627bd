/** Chat Completions. */
import type OpenAI from 'openai';
import type { WireBody, WireMessage } from '../request.ts';
import type { Block } from '../script.ts';
import { type Chunk, pieces, stopOf, usageOf } from '../stream.ts';
import { dataLine, type Dialect, errorOf, inputOfCall, joined, type Reply, resultBlock } from './dialect.ts';

type Delta = OpenAI.ChatCompletionChunk.Choice.Delta & { reasoning_content?: string };
type Body = Partial<OpenAI.ChatCompletionCreateParamsStreaming>;

const STOPS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
};

function chunkOf({ id, model }: Reply, fields: Partial<OpenAI.ChatCompletionChunk>): string {
  const base = { id, object: 'chat.completion.chunk' as const, created: 1_790_000_000, model };
  return dataLine({ ...base, choices: [], ...fields } satisfies OpenAI.ChatCompletionChunk);
}

function deltaOf(reply: Reply, delta: Delta): string {
  return chunkOf(reply, { choices: [{ index: 0, delta, finish_reason: null }] });
}

function deltasOf(block: Block, call: number, newToolId: () => string): Delta[] {
  switch (block.type) {
    case 'text':
      return pieces(block.text, block.deltas).map((content) => ({ content }));
    case 'cited':
      return [{ content: block.text }];
    case 'thinking':
      return pieces(block.text, block.deltas).map((text) => ({ reasoning_content: text }));
    case 'tool_use': {
      const id = block.id ?? newToolId();
      const begin = { index: call, id, type: 'function', function: { name: block.name, arguments: '' } } as const;
      const rest = pieces(block.raw ?? JSON.stringify(block.input), block.deltas);
      return [[begin], ...rest.map((text) => [{ index: call, function: { arguments: text } }])].map((calls) => ({
        tool_calls: calls,
      }));
    }
    default:
      return [];
  }
}

function usageChunk(reply: Reply): string {
  const { input, cacheRead, output, thinking } = usageOf(reply.options);
  return chunkOf(reply, {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cacheRead },
      completion_tokens_details: { reasoning_tokens: thinking },
    },
  });
}

function chunks(blocks: Block[], reply: Reply, deltaMs: number, newToolId: () => string): Chunk[] {
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  const words = blocks.flatMap((block) =>
    deltasOf(block, calls.indexOf(block), newToolId).map((delta) => ({
      data: deltaOf(reply, delta),
      delayMs: ('delayMs' in block ? block.delayMs : undefined) ?? deltaMs,
    })),
  );
  const stop = stopOf(blocks, reply.options);
  // A reason may be any text, as it is in the other protocols.
  const reason = (STOPS[stop] ?? stop) as 'stop';
  const ending = chunkOf(reply, { choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  return [...words, ...[ending, usageChunk(reply), 'data: [DONE]\n\n'].map((data) => ({ data, delayMs: 0 }))];
}

function messageOf(message: OpenAI.ChatCompletionMessageParam): WireMessage {
  const text = textIn(message.content);
  if (message.role === 'tool') return { role: 'user', content: [resultBlock(message.tool_call_id, text)] };
  const words = text === '' ? [] : [{ type: 'text', text }];
  if (message.role !== 'assistant') return { role: 'user', content: words };
  const calls = (message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function'
      ? [{ type: 'tool_use', id: call.id, name: call.function.name, input: inputOfCall(call.function.arguments) }]
      : [],
  );
  return { role: 'assistant', content: [...words, ...calls] };
}

function textIn(content: OpenAI.ChatCompletionMessageParam['content']): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
}

function read(body: Body): WireBody {
  const all = Array.isArray(body.messages) ? body.messages : [];
  const tools = (body.tools ?? []).flatMap((tool) => (tool.type === 'function' ? [tool.function] : []));
  return {
    model: body.model ?? '',
    max_tokens: body.max_completion_tokens ?? body.max_tokens ?? 0,
    stream: body.stream ?? false,
    system: all.flatMap((message) => (message.role === 'system' ? [textIn(message.content)] : [])).join('\n'),
    messages: joined(all.filter(({ role }) => role !== 'system').map(messageOf)),
    tools: tools.map(({ name, parameters = {} }) => ({ name, input_schema: parameters })),
    ...(typeof body.tool_choice === 'string' ? { tool_choice: { type: body.tool_choice } } : {}),
    ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
    ...(body.reasoning_effort ? { output_config: { effort: body.reasoning_effort } } : {}),
  };
}

export const chat: Dialect = {
  path: '/v1/chat/completions',
  idPrefix: 'chatcmpl-',
  read,
  refusal: ({ tools = [] }: Body) =>
    tools.some((tool) => tool.type === 'function' && tool.function.name.length > 64)
      ? 'tools: string too long, at most 64 characters'
      : null,
  start: (reply) => deltaOf(reply, { role: 'assistant', content: '' }),
  chunks,
  errorEvent: (type, message) => dataLine(errorOf(type, message)),
  errorBody: errorOf,
};
