/** Serves frames over a WebSocket, for browser tabs and for other processes of this installation. */
import type { RawData, WebSocket } from 'ws';
import { MAX_PROMPT_CHARS } from '#contract/limits.ts';
import { MAX_SENT_IMAGES_CHARS } from '#contract/messages/sending-limits.ts';
import type { Client } from '#contract/rpc.ts';
import { serveFrames } from './frame-server.ts';

/** Largest frame: the longest prompt with every character escaped, all its pictures, and room for the rest of the frame. */
export const MAX_FRAME_BYTES = MAX_PROMPT_CHARS * 6 + MAX_SENT_IMAGES_CHARS + 64 * 1024;
/** Backlog at which a client is disconnected; it reconnects. */
const LOST_BYTES = 128 * 1024 * 1024;
const HEARTBEAT_MS = 30_000;

/** Close codes of RFC 6455. */
export const CLOSE = { normal: 1000, goingAway: 1001, unsupported: 1003, policy: 1008, restart: 1012 } as const;

/** Serves the client over the socket until it closes. */
export function attachSocket(
  socket: WebSocket,
  client: Client,
  report: (line: string) => void,
  maxSubscriptions?: number,
): void {
  const link = {
    send: (frame: object) => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > LOST_BYTES) socket.terminate();
      else socket.send(JSON.stringify(frame));
    },
    backlog: () => socket.bufferedAmount,
  };
  const server = serveFrames(link, client, report, maxSubscriptions);
  socket.on('message', (data, isBinary) => {
    if (isBinary) return socket.close(CLOSE.unsupported, 'frames are text');
    if (!server.receive(jsonOf(data))) socket.close(CLOSE.policy, 'not a frame');
  });
  // `close` follows every `error` and cleans up.
  socket.on('error', (error) => report(`connection: ${error.message}`));
  const stopHeartbeat = heartbeat(socket);
  socket.on('close', () => {
    stopHeartbeat();
    server.close();
  });
}

/** Undefined if it is not JSON. */
export function jsonOf(data: RawData): unknown {
  try {
    // Text frames arrive as one Buffer: `ws` makes other shapes only for other binary types.
    return JSON.parse((data as Buffer).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Terminates connections that miss a pong. */
function heartbeat(socket: WebSocket): () => void {
  let alive = true;
  socket.on('pong', () => (alive = true));
  const timer = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    socket.ping();
  }, HEARTBEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}
