/** A request in the form of Chat Completions. */
import type OpenAI from 'openai';
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

type Body = OpenAI.ChatCompletionCreateParamsStreaming;
type Message = OpenAI.ChatCompletionMessageParam;

export function chatBody(request: ModelRequest, origin: Origin, traits: Traits): Body {
  const tools = callable(request).map(({ name, description, inputSchema }) => ({
    type: 'function' as const,
    function: { name: wireName(name), description, parameters: { ...inputSchema, type: 'object' } },
  }));
  return {
    model: request.model,
    messages: messagesOf(request, origin),
    ...limitOf(request, traits),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.toolChoice === 'none' ? { tool_choice: 'none' } : {}),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.effort === null ? {} : { reasoning_effort: request.effort }),
    stream: true,
    ...(traits.refused.has('stream_options') ? {} : { stream_options: { include_usage: true } }),
  };
}

/** The vendor has a newer name for it; the others know the old one, and those that don't say so. */
function limitOf({ maxTokens }: ModelRequest, { isOwn, refused }: Traits): Partial<Body> {
  const isNew = isOwn ? !refused.has('max_completion_tokens') : refused.has('max_tokens');
  return isNew ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
}

function messagesOf({ system, messages }: ModelRequest, origin: Origin): Message[] {
  const results = resultsIn(messages);
  // Only while a task goes on does thinking belong to it.
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && content.some(isWords));
  const sent = messages.flatMap((message, index): Message[] =>
    message.role === 'user'
      ? userMessages(message.content)
      : assistantMessage(message.content, results, index > asked ? origin : null),
  );
  return system.trim() === '' ? sent : [{ role: 'system', content: system }, ...sent];
}

const isWords = ({ type }: { type: string }): boolean => type === 'text';

/** Results first, as the API wants them; pictures cannot be in them, so they come after. */
function userMessages(content: Extract<WireMessage, { role: 'user' }>['content']): Message[] {
  const results = resultsOf(content);
  const answers = results.map((result) => ({
    role: 'tool' as const,
    tool_call_id: result.toolCallId,
    content: outputOf(result),
  }));
  const said = [...results.flatMap(pictureOf), ...saidBy(content)];
  const texts = said.flatMap((one) => ('text' in one ? [one.text] : []));
  if (texts.length < said.length) return [...answers, { role: 'user', content: said.map(partOf) }];
  // Plain text where it will do: some servers read nothing else.
  return [...answers, ...texts.map((text) => ({ role: 'user' as const, content: text }))];
}

function pictureOf(result: ToolResultPart): Said[] {
  const url = dataUrl(result);
  return url === null ? [] : [{ text: `The picture that call ${result.toolCallId} gave:` }, { url }];
}

function partOf(said: Said): OpenAI.ChatCompletionContentPart {
  if ('text' in said) return { type: 'text', text: said.text };
  return { type: 'image_url', image_url: { url: said.url } };
}

/** Thinking goes back in the field in which it came, which is none of the vendor's own. */
type Thoughts = Record<string, string>;

function assistantMessage(
  content: Extract<WireMessage, { role: 'assistant' }>['content'],
  results: ServerResults,
  origin: Origin | null,
): Message[] {
  const text = content.flatMap((part) => saidIn(part, results) ?? []).join('\n\n');
  const calls = content.flatMap((part) => {
    if (part.type !== 'tool_use') return [];
    const call = { name: wireName(part.name), arguments: argumentsText(part.input) };
    return [{ id: part.id, type: 'function' as const, function: call }];
  });
  if (text === '' && calls.length === 0) return [];
  const thoughts: Thoughts = {};
  for (const part of origin !== null && calls.length > 0 ? content : []) {
    const field = part.type === 'thinking' ? sentBackOf(origin!, part.signature) : null;
    if (part.type === 'thinking' && field !== null) thoughts[field] = `${thoughts[field] ?? ''}${part.text}`;
  }
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...thoughts,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}
