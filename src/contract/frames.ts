/** What goes over a bridge between a client and a runtime elsewhere, whichever method or topic it is about. */
import { z } from 'zod';
import type { Phrase } from './approvals/phrase.ts';

/** Frames of every bridge between a client and a runtime elsewhere. */
export const ClientFrame = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('request'), id: z.int(), method: z.string(), input: z.unknown() }),
  z.strictObject({ kind: z.literal('subscribe'), id: z.int(), topic: z.string(), input: z.unknown() }),
  z.strictObject({ kind: z.literal('unsubscribe'), id: z.int() }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;
export type ServerFrame =
  | {
      kind: 'reply';
      id: number;
      reply:
        | { ok: true; value: unknown }
        | { ok: false; error: { code: string; message: string; says?: Phrase[] | undefined } };
    }
  | { kind: 'events'; id: number; events: unknown[] };

/**
 * All that the desktop lets a page do, on `window.triad`: two functions. The listener hears the reply first, then
 * events, and null when the runtime behind the subscription has gone, which ends it; so does the returned function.
 */
export interface Bridge {
  request(method: string, input: unknown): Promise<BridgeReply>;
  subscribe(
    topic: string,
    input: unknown,
    listener: (message: BridgeReply | { events: unknown[] } | null) => void,
  ): () => void;
}
export type BridgeReply = Extract<ServerFrame, { kind: 'reply' }>['reply'];
