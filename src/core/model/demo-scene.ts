/** What the demo's script goes by: the request that it answers, read as who is asked, for what, and what came of it. */
import type { ModelRequest, WireMessage } from './model.ts';

/** A call that the script made in the exchange that it answers, with its result. */
export interface DoneCall {
  /** As the script named it. */
  id: string;
  name: string;
  output: string;
  isError: boolean;
}

export interface Scene {
  /** The words that the exchange began with. */
  prompt: string;
  /** In order. */
  calls: readonly DoneCall[];
  /** Ids of all calls of the conversation before this exchange. */
  earlier: readonly string[];
  /** Whether the tool may be called now. */
  can: (tool: string) => boolean;
  /** Agents that a task can be handed to, as the tool's description names them. */
  agents: readonly string[];
}

export interface Reply {
  text: string;
  calls: readonly { id: string; name: string; input: Record<string, unknown> }[];
}

export function sceneOf({ messages, tools, toolChoice }: ModelRequest): Scene {
  // An exchange begins where the newest words came that do not go with results.
  const start = Math.max(messages.findLastIndex(beginsExchange), 0);
  const results = new Map(
    messages.flatMap(({ role, content }) =>
      role === 'user'
        ? content.flatMap((part) => (part.type === 'tool_result' ? [[part.toolCallId, part] as const] : []))
        : [],
    ),
  );
  const offered = new Set(toolChoice === 'none' ? [] : tools.map(({ name }) => name));
  const delegate = tools.find(({ name }) => name === 'delegate_task')?.description ?? '';
  return {
    prompt: wordsOf(messages[start]),
    calls: callsIn(messages.slice(start)).map(({ id, name }) => {
      const result = results.get(id);
      return { id, name, output: result?.output ?? '', isError: result?.isError ?? true };
    }),
    earlier: callsIn(messages.slice(0, start)).map(({ id }) => id),
    can: (tool) => offered.has(tool),
    agents: [...delegate.matchAll(/^- (.+?): /gm)].map(([, name = '']) => name),
  };
}

function beginsExchange({ role, content }: WireMessage): boolean {
  return role === 'user' && content.every(({ type }) => type === 'text');
}

function wordsOf(message: WireMessage | undefined): string {
  const parts: readonly { type: string }[] = message?.content ?? [];
  return parts
    .flatMap((part) => ('text' in part && part.type === 'text' ? [String(part.text)] : []))
    .join('\n');
}

function callsIn(messages: readonly WireMessage[]): { id: string; name: string }[] {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' ? content.flatMap((part) => (part.type === 'tool_use' ? [part] : [])) : [],
  );
}
