/** `triad acp`: the Agent Client Protocol over two streams, for as long as the client is there. */
import { MessageTooLargeError, ndJsonStream } from '@agentclientprotocol/sdk';
import { MAX_MESSAGE_BYTES } from '#contract/limits.ts';
import type { Connected } from '#core/host/ownership/connect-or-own.ts';
import { errorInfo } from '#core/base/errors.ts';
import { agentApp } from './agent-app.ts';
import { Door, isGone } from './door.ts';
import { limitMessageDepth } from './message-depth.ts';
import { Sessions } from './sessions.ts';

export interface AcpIo {
  input: ReadableStream<Uint8Array>;
  /** Nothing but the protocol goes there. */
  output: WritableStream<Uint8Array>;
  /** Bytes of it that the client has not read yet. */
  backlog: () => number;
  note: (line: string) => void;
  connect: () => Promise<Connected>;
  /** Aborts when the program is to end. */
  signal: AbortSignal;
  /** The signal ends the program, and not only this command: the work of others is not waited for. */
  endsNow: () => boolean;
  version: string;
}

/** Of a client that is so far behind nothing is written but what happened: the end of a message brings its words. */
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;
const TOO_LONG = `the client wrote a line of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB, and the connection was closed: its work can be resumed`;

/**
 * Resolves when the client has gone or the signal has aborted; what this client had started can be resumed then. Rejects
 * where no work can be done any more, because the store is lost or nobody can be found who has it.
 */
export async function serveAcp(io: AcpIo): Promise<void> {
  /** Its reason is what serving rejects with, null where it was wanted. */
  const gone = new AbortController();
  let current: Connected | null = null;
  const door = new Door(io.connect, (connected) => {
    const before = current;
    current = connected;
    const again = () => void follow(connected);
    connected.lost.addEventListener('abort', again, { once: true });
    if (connected.lost.aborted) again();
    if (before === null) return;
    const where = connected.owner ? 'here' : 'in the one that runs now';
    io.note(`triad: ${errorInfo(before.lost.reason).message}: the work goes on ${where}.`);
    sessions.reopen(connected.client).catch((error: unknown) => io.note(`triad: ${errorInfo(error).message}`));
  });
  const sessions = new Sessions({ door, note: io.note, isBehind: () => io.backlog() > MAX_BACKLOG_BYTES });
  /** A client takes over, or finds who did; an owner that cannot write ends. */
  const follow = async (connected: Connected): Promise<void> => {
    if (gone.signal.aborted) return;
    if (isGone(connected)) await door.again(connected).catch((error: unknown) => gone.abort(error));
    else gone.abort(connected.lost.reason);
  };

  const stream = limitMessageDepth(ndJsonStream(io.output, io.input, { maxMessageBytes: MAX_MESSAGE_BYTES }), io.note);
  const connection = agentApp(door, sessions, io.version).connect(stream);
  const end = () => gone.abort(null);
  io.signal.addEventListener('abort', end, { once: true });
  void connection.closed.then(() => {
    const { reason } = connection.signal as { reason: unknown };
    if (reason instanceof MessageTooLargeError) io.note(`triad: ${TOO_LONG}`);
    end();
  });
  if (io.signal.aborted) end();
  await new Promise<void>((resolve) => {
    if (gone.signal.aborted) resolve();
    else gone.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  connection.close();
  await leave(await door.opened(), sessions, io);
  if (gone.signal.reason !== null) throw gone.signal.reason;
}

/** The work of a client that has gone waits for it, whoever owns the store. */
async function leave(opened: Connected | null, sessions: Sessions, { signal, endsNow }: AcpIo): Promise<void> {
  if (opened === null) return;
  const cause = signal.aborted ? 'SIGTERM' : 'SIGHUP';
  for (const session of sessions.all()) {
    await session.cancel(cause).catch(() => undefined);
    session.close();
  }
  await opened.close(endsNow() ? signal : new AbortController().signal);
}
