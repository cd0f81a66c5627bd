/** Reads a model request as the facts that the demo's script needs: the prompt, the calls so far and what it may call. */
import { languageOf, wordsOf } from './demo-language.ts';
import type { DemoWords } from './demo-words.ts';
import type { Language } from '#contract/messages/language.ts';
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
  /** In the language of the exchange. */
  words: DemoWords;
  /** The message that the exchange began with. */
  prompt: string;
  /** Messages of the engine since then, in order. */
  notes: readonly string[];
  /** The calls of the exchange, in order. */
  calls: readonly DoneCall[];
  /** Whether the person asks something about a call before deciding about it. */
  askedBack: boolean;
  /** Ids of all calls of the conversation before this exchange. */
  earlier: readonly string[];
  /** Whether the tool may be called now. */
  can: (tool: string) => boolean;
  /** Names of the agents that a task can be delegated to, from the system prompt. */
  agents: readonly string[];
}

export interface Reply {
  text: string;
  calls: readonly { id: string; name: string; input: Record<string, unknown> }[];
}

/** Messages of the engine, which begin no exchange: of a limit, a new attempt, a late report, a reviewer, a loop. */
const NOTE =
  /^(The limit of .+ is reached\. |The person raised the limit of |Your last answer was not complete\. |Report of the sub-agent |Your answer was looked at by |[^]*call task_complete with your whole answer)/;

/** Stands before what the person asks about a call: it is said to nobody else, and no exchange keeps it. */
const ASKED_BACK = /^The person has a question about your call /;

/** Stands before what the person says to an agent that works: a report is about their own words. */
const SAID = /^\[Triad: [^\]]*\]\s*/;

/** `asked`: the language in which the person was last known to read. */
export function sceneOf({ system, messages, tools, toolChoice }: ModelRequest, asked: Language): Scene {
  // An exchange begins where the newest words came that neither go with results nor are a note.
  const start = Math.max(messages.findLastIndex(beginsExchange), 0);
  const results = new Map(
    messages.flatMap(({ role, content }) =>
      role === 'user'
        ? content.flatMap((part) => (part.type === 'tool_result' ? [[part.toolCallId, part] as const] : []))
        : [],
    ),
  );
  const offered = new Set(toolChoice === 'none' ? [] : tools.map(({ name }) => name));
  const list = /^# Agents\n([^]*?)(?:\n\n|$(?![^]))/m.exec(system)?.[1] ?? '';
  return {
    words: wordsOf(languageOf(saidIn(messages.slice(start)), asked)),
    prompt: textsOf(messages[start])
      .filter((text) => !NOTE.test(text))
      .map((text) => text.replace(SAID, ''))
      .join('\n'),
    notes: messages
      .slice(start)
      .flatMap(textsOf)
      .filter((text) => NOTE.test(text)),
    calls: callsIn(messages.slice(start)).map(({ id, name }) => {
      const result = results.get(id);
      return { id, name, output: result?.output ?? '', isError: result?.isError ?? true };
    }),
    askedBack: messages.flatMap(textsOf).some((text) => ASKED_BACK.test(text)),
    earlier: callsIn(messages.slice(0, start)).map(({ id }) => id),
    can: (tool) => offered.has(tool),
    agents: [...list.matchAll(/^- (.+?): /gm)].map(([, name = '']) => name),
  };
}

function beginsExchange(message: WireMessage): boolean {
  return message.content.every(({ type }) => type === 'text') && textsOf(message).some((text) => !NOTE.test(text));
}

/** What an exchange says, on both sides, without the results of tools. */
const saidIn = (messages: readonly WireMessage[]): string[] =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])));

/** The words of a user message. */
function textsOf(message: WireMessage | undefined): string[] {
  return message?.role === 'user' ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [];
}

function callsIn(messages: readonly WireMessage[]): { id: string; name: string }[] {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' ? content.flatMap((part) => (part.type === 'tool_use' ? [part] : [])) : [],
  );
}
