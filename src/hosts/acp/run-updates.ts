/** What a client is told of one run: its words, thoughts, plan and calls. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import type { AssistantEntry } from '#contract/message.ts';
import { serverCallOf, serverResultOf, serverText } from '#contract/web-search.ts';
import { acpEvent } from '#core/host/records/adapters/acp-events.ts';
import { contentOf, kindOf, locationsOf, textContent, titleOf } from './tool-call.ts';

/** Calls have their run's id in theirs: a provider may give the same one in two runs. */
export function callIdOf(runId: string, toolCallId: string): string {
  return `${runId}:${toolCallId}`;
}

type Hint = Extract<AgentEvent, { type: 'message-delta' | 'thinking-delta' }>;
type Ended = Extract<DurableEvent, { type: 'message-end' }>;

export class RunUpdates {
  readonly #runId: string;
  readonly #folder: string;
  /** Length told of each part of a message, by its id and number. */
  readonly #told = new Map<string, number>();
  /** Arguments of the calls that were told. */
  readonly #calls = new Map<string, unknown>();
  /** Terminals of the client in which calls run, which it shows by itself. */
  readonly #terminals = new Map<string, string>();

  constructor(runId: string, folder: string) {
    this.#runId = runId;
    this.#folder = folder;
  }

  of(event: AgentEvent): SessionUpdate[] {
    switch (event.type) {
      case 'message-delta':
      case 'thinking-delta':
        return this.#delta(event);
      case 'message-part':
        return event.value.type === 'tool_use' ? this.#call(event.value) : [];
      case 'message-end':
        return this.#ended(event);
      case 'tool-start':
        return [
          ...this.#call({ id: event.toolCallId, name: event.name, input: event.input }),
          { sessionUpdate: 'tool_call_update', ...this.#id(event.toolCallId), status: 'in_progress' },
        ];
      case 'tool-output':
        if (this.#terminals.has(event.toolCallId)) return [];
        return [
          { sessionUpdate: 'tool_call_update', ...this.#id(event.toolCallId), content: [textContent(event.tail)] },
        ];
      case 'tool-end':
        return this.#result(event);
      case 'plan-change':
        return [{ sessionUpdate: 'plan', entries: event.items.map((item) => ({ ...item })) }];
      default:
        return [];
    }
  }

  /** The call runs in this terminal of the client. */
  terminal(toolCallId: string, terminalId: string): SessionUpdate {
    this.#terminals.set(toolCallId, terminalId);
    const content = [{ type: 'terminal' as const, terminalId }];
    return { sessionUpdate: 'tool_call_update', ...this.#id(toolCallId), content };
  }

  /** Hints may be lost or merged: only what continues the told text is told, the end brings the rest. */
  #delta(event: Hint): SessionUpdate[] {
    const { messageId, part, offset, text } = event;
    const before = this.#told.get(`${messageId}:${part}`) ?? 0;
    if (offset > before) return [];
    return this.#words(event.type === 'message-delta', messageId, part, text.slice(before - offset));
  }

  #ended(event: Ended): SessionUpdate[] {
    const { entry } = event;
    if (entry.kind === 'assistant') return this.#message(entry);
    const told = acpEvent(event);
    return told?.type === 'Error' ? [chunk('agent_message_chunk', `\n${told.message}\n`, `remark-${entry.n}`)] : [];
  }

  #message({ parts, messageId, interrupted }: AssistantEntry): SessionUpdate[] {
    return parts.flatMap((part, index) => {
      if (part.type === 'text' || part.type === 'thinking') {
        const rest = part.text.slice(this.#told.get(`${messageId}:${index}`) ?? 0);
        return this.#words(part.type === 'text', messageId, index, rest);
      }
      if (part.type === 'tool_use') return interrupted ? [] : this.#call(part);
      return part.type === 'server' ? this.#server(part.block) : [];
    });
  }

  #words(isText: boolean, messageId: string, part: number, text: string): SessionUpdate[] {
    if (text === '') return [];
    const key = `${messageId}:${part}`;
    this.#told.set(key, (this.#told.get(key) ?? 0) + text.length);
    // Thoughts are a message of their own: clients put together what has one id.
    return [
      isText
        ? chunk('agent_message_chunk', text, messageId)
        : chunk('agent_thought_chunk', text, `${messageId}:thought`),
    ];
  }

  #id(toolCallId: string) {
    return { toolCallId: callIdOf(this.#runId, toolCallId) };
  }

  /** Once for each call, whatever tells of it first. */
  #call({ id, name, input }: { id: string; name: string; input: unknown }): SessionUpdate[] {
    if (this.#calls.has(id)) return [];
    this.#calls.set(id, input);
    const about = { title: titleOf(name, input), name, kind: kindOf(name), rawInput: input };
    const locations = locationsOf(this.#folder, input);
    return [{ sessionUpdate: 'tool_call', ...this.#id(id), ...about, locations, status: 'pending' }];
  }

  #result(event: Extract<DurableEvent, { type: 'tool-end' }>): SessionUpdate[] {
    const { toolCallId, name, output, metadata } = event.entry;
    const told = acpEvent(event);
    const status = told?.type === 'ToolCallEnd' ? told.status : 'failed';
    const input = this.#calls.get(toolCallId);
    const terminalId = this.#terminals.get(toolCallId);
    const shown = contentOf(this.#folder, output, metadata);
    const content = terminalId === undefined ? shown : [{ type: 'terminal' as const, terminalId }];
    const contents = { content, rawOutput: { output, metadata } };
    const locations = locationsOf(this.#folder, input, metadata);
    const update = { ...this.#id(toolCallId), status, ...contents, locations };
    return [...this.#call({ id: toolCallId, name, input: {} }), { sessionUpdate: 'tool_call_update', ...update }];
  }

  /** What the provider did by itself comes with its result, in the same message. */
  #server(block: Parameters<typeof serverCallOf>[0]): SessionUpdate[] {
    const call = serverCallOf(block);
    if (call) return this.#call({ id: call.id, name: call.name, input: call.input });
    const id = serverResultOf(block);
    if (id === null) return [];
    const content = [textContent(serverText(block))];
    return [{ sessionUpdate: 'tool_call_update', ...this.#id(id), status: 'completed', content }];
  }
}

export function chunk(
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk',
  text: string,
  messageId: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text }, messageId };
}
