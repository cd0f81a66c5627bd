/** Keys of steps by their content: what determines a step, without its ids and times. For the cache of a fork alone. Pure. */
import type { ToolUsePart } from '#contract/message.ts';
import { canonicalHash } from '../base/hash.ts';
import type { ModelRequest, WireMessage } from '../model/model.ts';

/** `messages`: without the bytes of pictures, which stand there by their hash. */
export function requestKey({ messages, temperature, ...request }: ModelRequest, provider: string): string {
  return canonicalHash({ provider, ...request, temperature: temperature ?? null, messages: numbered(messages) });
}

/** `place`: among the calls of the response that the request got. */
export function callKey(request: string, place: number, { name, input }: Pick<ToolUsePart, 'name' | 'input'>): string {
  return canonicalHash({ request, place, name, input: input ?? null });
}

/** Calls go by their place in the messages: the ids that a model gives them are made up anew each time. */
function numbered(messages: readonly WireMessage[]): unknown {
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => {
    const number = numbers.get(id) ?? numbers.size;
    numbers.set(id, number);
    return number;
  };
  return messages.map(({ role, content }) => ({
    role,
    content: content.map((part) => {
      if (part.type === 'tool_use') return { ...part, input: part.input ?? null, id: numberOf(part.id) };
      return part.type === 'tool_result' ? { ...part, toolCallId: numberOf(part.toolCallId) } : part;
    }),
  }));
}
