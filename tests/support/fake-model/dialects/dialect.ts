/** The protocols in which the same scripts are served. */
import type { WireBody, WireMessage } from '../request.ts';
import type { Block, ReplyOptions } from '../script.ts';
import type { Chunk } from '../stream.ts';

export interface Reply {
  id: string;
  model: string;
  options: ReplyOptions;
}

export interface Dialect {
  path: string;
  /** Before the number of an answer's id. */
  idPrefix: string;
  /** The request in the words of the Messages API, in which scripts are written; tolerates anything. */
  read(body: object): WireBody;
  /** What the real API refuses beyond what all do; null where it would accept it. */
  refusal(body: object): string | null;
  start(reply: Reply): string;
  /** Every event after the start. */
  chunks(blocks: Block[], reply: Reply, deltaMs: number, newToolId: () => string): Chunk[];
  /** An error within the stream. */
  errorEvent(type: string, message: string): string;
  /** The body of an answer that is an error. */
  errorBody(type: string, message: string): object;
}

/** OpenAI's errors. */
export function errorOf(type: string, message: string): object {
  return { error: { message, type, param: null, code: type } };
}

export function dataLine(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** One message for each turn: what follows each other in the same role belongs together. */
export function joined(messages: WireMessage[]): WireMessage[] {
  const found: { role: string; content: Exclude<WireMessage['content'], string> }[] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const last = found.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else found.push({ role, content: [...blocks] });
  }
  return found;
}

const FAILED = 'Error: ';

/** Results of calls that failed begin with the word. */
export function resultBlock(id: string, text: string): Exclude<WireMessage['content'], string>[number] {
  const isError = text.startsWith(FAILED);
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: isError ? text.slice(FAILED.length) : text,
    is_error: isError,
  };
}

/** Arguments of a call; the real APIs take any text, small servers only JSON. */
export function inputOfCall(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
