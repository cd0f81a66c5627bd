/** A request in the form of the Responses API: nothing is kept there, so all that went on goes along. */
import type OpenAI from 'openai';
import type { Part } from '#contract/message.ts';
import type { ModelRequest, ToolResultPart, WireMessage } from '../model.ts';
import { resultsIn, type ServerResults } from '../server-words.ts';
import {
  argumentsText,
  callable,
  dataUrl,
  outputOf,
  resultsOf,
  type Said,
  saidBy,
  saidIn,
  type Traits,
} from './shared-request.ts';
import { type Origin, sentBackOf } from '../thinking.ts';
import { wireName } from './tool-names.ts';

type Body = OpenAI.Responses.ResponseCreateParamsStreaming;
type Item = OpenAI.Responses.ResponseInputItem;

export function responsesBody(request: ModelRequest, origin: Origin, { thinks, refused, unread }: Traits): Body {
  const tools = callable(request).map(({ name, description, inputSchema }) => ({
    type: 'function' as const,
    name: wireName(name),
    description,
    parameters: { ...inputSchema, type: 'object' },
    strict: false,
  }));
  const reasoning = {
    effort: request.effort,
    ...(refused.has('reasoning.summary') ? {} : { summary: 'auto' as const }),
  };
  const isThinking = request.effort !== null;
  return {
    model: request.model,
    input: itemsOf(request.messages, origin, unread),
    max_output_tokens: request.maxTokens,
    ...(request.system.trim() === '' ? {} : { instructions: request.system }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.toolChoice === 'none' ? { tool_choice: 'none' } : {}),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(isThinking ? { reasoning } : {}),
    // A model that doesn't think refuses it.
    ...(isThinking || thinks === true ? { include: ['reasoning.encrypted_content'] } : {}),
    store: false,
    stream: true,
  };
}

function itemsOf(messages: readonly WireMessage[], origin: Origin, unread: Traits['unread']): Item[] {
  const results = resultsIn(messages);
  const sentBack = (signature: string | null) => (unread.has(signature ?? '') ? null : sentBackOf(origin, signature));
  return messages.flatMap((message) =>
    message.role === 'user' ? userItems(message.content) : assistantItems(message.content, results, sentBack),
  );
}

/** Results first, where the API looks for them. */
function userItems(content: Extract<WireMessage, { role: 'user' }>['content']): Item[] {
  const answers = resultsOf(content).map((result) => ({
    type: 'function_call_output' as const,
    call_id: result.toolCallId,
    output: outputItems(result),
  }));
  return [...answers, ...saidBy(content).map((said) => ({ role: 'user' as const, content: [inputOf(said)] }))];
}

function inputOf(said: Said): OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage {
  if ('text' in said) return { type: 'input_text', text: said.text };
  return { type: 'input_image', image_url: said.url, detail: 'auto' };
}

function outputItems(result: ToolResultPart): string | OpenAI.Responses.ResponseFunctionCallOutputItemList {
  const [text, url] = [outputOf(result), dataUrl(result)];
  if (url === null) return text;
  const words = text.trim() === '' ? [] : [{ type: 'input_text' as const, text }];
  return [...words, { type: 'input_image', image_url: url, detail: 'auto' }];
}

/** In the order in which they came; thinking only before what it led to, as the API wants it. */
function assistantItems(
  content: readonly Part[],
  results: ServerResults,
  sentBack: (signature: string | null) => string | null,
): Item[] {
  const last = content.findLastIndex((part) => part.type === 'tool_use' || saidIn(part, results) !== null);
  return content.slice(0, last + 1).flatMap((part): Item[] => {
    const text = saidIn(part, results);
    if (text !== null) return [{ role: 'assistant', content: text }];
    if (part.type === 'thinking') return thoughtItem(sentBack(part.signature));
    if (part.type !== 'tool_use') return [];
    const { id, name, input } = part;
    return [{ type: 'function_call', call_id: id, name: wireName(name), arguments: argumentsText(input) }];
  });
}

/** Verbatim: only the endpoint can read it. */
function thoughtItem(item: string | null): Item[] {
  return item === null ? [] : [JSON.parse(item) as OpenAI.Responses.ResponseReasoningItem];
}
