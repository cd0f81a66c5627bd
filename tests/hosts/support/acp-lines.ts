/** `triad acp` in the test's process, over a runtime that is there: lines in, lines out. */
import { onTestFinished } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { serveAcp } from '#hosts/acp/acp.ts';

export type Line = Record<string, unknown>;

export interface AcpLines {
  send: (line: Line) => void;
  /** The client goes; resolves when the agent has ended. */
  end: () => Promise<void>;
  /** What the agent wrote so far. */
  readonly written: readonly Line[];
  /** Lines for the person. */
  readonly notes: readonly string[];
  /** Resolves when the agent has ended. */
  readonly ended: Promise<void>;
  /** Both ends, for a client of the protocol. */
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/** `sees`: hears every line, with who wrote it. `backlog`: what the client has not read, as the agent sees it. */
export function acpOver(
  client: Client,
  sees: (from: 'client' | 'agent', line: Line) => void = () => undefined,
  backlog = 0,
): AcpLines {
  const input = new TransformStream<Uint8Array, Uint8Array>();
  // Nobody has to read it.
  const output = new TransformStream<Uint8Array, Uint8Array>({}, undefined, { highWaterMark: Infinity });
  const [toAgent, fromAgent] = [splitter((line) => sees('client', line)), splitter((line) => arrived(line))];
  const written: Line[] = [];
  const notes: string[] = [];
  const arrived = (line: Line) => {
    written.push(line);
    sees('agent', line);
  };
  const writer = input.writable.getWriter();
  const stop = new AbortController();
  const served = serveAcp({
    input: input.readable,
    output: new WritableStream({
      write: async (bytes) => {
        fromAgent(bytes);
        await toClient.write(bytes).catch(() => undefined);
      },
    }),
    backlog: () => backlog,
    note: (line) => void notes.push(line),
    connect: () =>
      Promise.resolve({ client, owner: true, lost: new AbortController().signal, close: () => Promise.resolve() }),
    signal: stop.signal,
    endsNow: () => false,
    version: '0.0.0',
  });
  const toClient = output.writable.getWriter();
  onTestFinished(async () => {
    stop.abort();
    await served;
  });
  const write = async (bytes: Uint8Array) => {
    toAgent(bytes);
    await writer.write(bytes);
  };
  return {
    end: async () => {
      await writer.close();
      await served;
    },
    written,
    notes,
    ended: served,
    send: (line) => void write(new TextEncoder().encode(`${JSON.stringify(line)}\n`)),
    readable: output.readable,
    writable: new WritableStream({ write }),
  };
}

function splitter(take: (line: Line) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(JSON.parse(line) as Line);
  };
}
