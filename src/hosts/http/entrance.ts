/** Lets browsers in: a token that works once for a new key, then the key's signature under a nonce for every connection. */
import { createHash, createPublicKey, randomBytes, timingSafeEqual, verify } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import { type Challenge, type Entry, ENTRY_CLOSE, type EntryReply, type Proof, statement } from '#contract/entry.ts';
import type { BrowserKeys } from '#core/host/ownership/browser-keys.ts';
import { CLOSE, jsonOf } from '#core/host/ownership/web-socket.ts';

/** How long a socket may take to prove itself, in milliseconds. */
const PATIENCE_MS = 10_000;
/** Sockets that may wait at the same time; one more ends the oldest. */
const MAX_WAITING = 32;
/** More than the longest answer to a challenge with its frame. */
const MAX_BYTES = 4096;
/** How long a refused page has to read why, in milliseconds. */
const GRACE_MS = 500;

const proof = { key: z.string().max(200), signature: z.string().max(200) };
const EntryFrame = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('enter'), ...proof }),
  z.strictObject({
    kind: z.literal('sign-in'),
    token: z.string().max(200),
    former: z.strictObject(proof).nullable(),
    ...proof,
  }),
  z.strictObject({ kind: z.literal('sign-out-others'), ...proof }),
]) satisfies z.ZodType<Entry>;

export interface EntrancePorts {
  keys: BrowserKeys;
  report: (line: string) => void;
  patienceMs?: number;
}

/** What stands behind one socket: of a page at `origin`, over `stream`. */
interface Visit {
  socket: WebSocket;
  stream: Duplex;
  origin: string;
  admit: () => void;
}

export class Entrance {
  /** For the printed URL; works once. */
  readonly token = randomBytes(32).toString('base64url');
  /** Resolves when the token was used. */
  readonly signedIn: Promise<void>;
  readonly #ports: EntrancePorts;
  readonly #onSignIn: () => void;
  readonly #waiting = new Set<WebSocket>();
  /** Sockets that are in, by the key that let them in. */
  readonly #inside = new Map<WebSocket, { key: string; origin: string }>();
  readonly #unwatch: () => void;
  #spent = false;

  constructor(ports: EntrancePorts) {
    this.#ports = ports;
    const signedIn = Promise.withResolvers<void>();
    this.signedIn = signedIn.promise;
    this.#onSignIn = signedIn.resolve;
    this.#unwatch = ports.keys.watch(() => {
      this.#sendAway().catch((error: unknown) => ports.report(`entrance: ${String(error)}`));
    });
  }

  /** True once a browser has used the token. */
  get isTokenSpent(): boolean {
    return this.#spent;
  }

  /** `admit` is called when the page may come in; everything before that is read here. */
  receive(visit: Visit): void {
    const { socket, stream } = visit;
    const { report, patienceMs = PATIENCE_MS } = this.#ports;
    const nonce = randomBytes(32).toString('base64url');
    const timer = setTimeout(() => refuse(socket, ENTRY_CLOSE.late, 'no answer in time'), patienceMs);
    let bytes = 0;
    const count = (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > MAX_BYTES) socket.terminate();
    };
    const leave = () => {
      clearTimeout(timer);
      stream.off('data', count);
      this.#waiting.delete(socket);
    };
    stream.on('data', count);
    // `close` follows every `error`.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      leave();
      this.#inside.delete(socket);
    });
    const early = () => refuse(socket, ENTRY_CLOSE.stranger, 'a frame before the entry');
    socket.once('message', (data, isBinary) => {
      socket.on('message', early);
      const settled = this.#answer(visit, nonce, isBinary ? null : entryOf(data)).finally(() => {
        socket.off('message', early);
        leave();
      });
      settled.catch((error: unknown) => {
        report(`entrance: ${String(error)}`);
        refuse(socket, ENTRY_CLOSE.late, 'not now');
      });
    });
    this.#wait(socket);
    send(socket, { kind: 'challenge', nonce });
  }

  close(): void {
    this.#unwatch();
  }

  #wait(socket: WebSocket): void {
    this.#waiting.add(socket);
    const [oldest] = this.#waiting;
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) {
      this.#waiting.delete(oldest);
      refuse(oldest, ENTRY_CLOSE.late, 'too many wait');
    }
  }

  async #answer({ socket, origin, admit }: Visit, nonce: string, entry: Entry | null): Promise<void> {
    const { keys } = this.#ports;
    const proven = ({ key, signature }: Proof) =>
      entry !== null && fits(key, signature, statement(entry.kind, origin, nonce));
    if (entry === null || !proven(entry)) return refuse(socket, ENTRY_CLOSE.stranger, 'this proves nothing');
    const { key } = entry;
    if (entry.kind === 'sign-in') {
      if (!this.#redeem(entry.token)) return refuse(socket, ENTRY_CLOSE.token, 'the token works once');
      await keys.add(key, origin);
      if (entry.former !== null && proven(entry.former)) await this.#replace(entry.former.key, key, origin);
    } else if (!(await keys.use(key, origin))) {
      return refuse(socket, ENTRY_CLOSE.stranger, 'the key is unknown');
    }
    if (entry.kind === 'sign-out-others') {
      const browsers = await keys.signOut({ key, origin });
      send(socket, { kind: 'signed-out', browsers });
      socket.close(CLOSE.normal, 'done');
      return;
    }
    if (socket.readyState !== socket.OPEN) return;
    this.#inside.set(socket, { key, origin });
    // Removed since it was looked up, when nobody knew of this socket yet.
    if (!(await keys.has(key, origin))) return refuse(socket, ENTRY_CLOSE.stranger, 'signed out');
    admit();
    send(socket, { kind: 'admitted' });
  }

  /** The other tabs of a browser stay in, by its new key. */
  async #replace(former: string, key: string, origin: string): Promise<void> {
    if (former === key) return;
    for (const [socket, by] of this.#inside)
      if (by.key === former && by.origin === origin) this.#inside.set(socket, { key, origin });
    await this.#ports.keys.remove(former, origin);
  }

  /** Closes the sockets whose keys are gone. */
  async #sendAway(): Promise<void> {
    for (const [socket, { key, origin }] of [...this.#inside])
      if (!(await this.#ports.keys.has(key, origin)) && this.#inside.get(socket)?.key === key)
        refuse(socket, ENTRY_CLOSE.stranger, 'signed out');
  }

  /** Spends the token: true for the first right one, false for ever after. */
  #redeem(given: string): boolean {
    const digest = (text: string) => createHash('sha256').update(text).digest();
    // Hashes, so that neither content nor length shows in the time taken.
    if (this.#spent || !timingSafeEqual(digest(given), digest(this.token))) return false;
    this.#spent = true;
    this.#onSignIn();
    return true;
  }
}

function entryOf(data: RawData): Entry | null {
  return EntryFrame.safeParse(jsonOf(data)).data ?? null;
}

/** False for anything that is no key on P-256, too. */
function fits(key: string, signature: string, signed: Uint8Array): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64url'), format: 'der', type: 'spki' });
    if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
    const how = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    return verify('sha256', signed, how, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

function send(socket: WebSocket, frame: Challenge | EntryReply): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}

function refuse(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), GRACE_MS).unref();
}
