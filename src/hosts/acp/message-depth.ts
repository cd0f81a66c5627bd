/** Limits the depth of messages of a client: checks and copies of deeper messages would exhaust the stack. */
import { type AnyMessage, RequestError, type Stream } from '@agentclientprotocol/sdk';

/** Maximum number of levels of lists and objects in one message. */
const MAX_DEPTH = 200;

/**
 * Returns the stream without messages that are too deep. A request gets an error as its answer. A response becomes an error,
 * so the request of the agent fails. A notification is dropped.
 */
export function limitMessageDepth({ readable, writable }: Stream, note: (line: string) => void): Stream {
  const writer = writable.getWriter();
  const depthFilter = new TransformStream<AnyMessage, AnyMessage>({
    async transform(message, controller) {
      if (!isTooDeep(message)) return controller.enqueue(message);
      note(`triad: a message of the client has more than ${MAX_DEPTH} levels and was refused`);
      const id = 'id' in message && !isTooDeep(message.id) ? message.id : null;
      const { code, message: words } = RequestError.invalidRequest(undefined, `more than ${MAX_DEPTH} levels`);
      const refusal: AnyMessage = { jsonrpc: '2.0', id, error: { code, message: words } };
      if (!('method' in message)) controller.enqueue(refusal);
      else if ('id' in message) await writer.write(refusal);
    },
  });
  return {
    readable: readable.pipeThrough(depthFilter),
    writable: new WritableStream({
      write: (message) => writer.write(message),
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  };
}

function isTooDeep(message: unknown): boolean {
  let level = [message];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (isRecord(value) ? Object.values(value) : []));
  }
  return false;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
