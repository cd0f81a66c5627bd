/** Proves to a host that this browser may come in: with its key, or with a token that is traded for a new one. */
import { type Challenge, type Entry, ENTRY_CLOSE, type EntryReply, type Proof, statement } from '#contract/entry.ts';
import type { BrowserKey, KeyStore } from './key-store.ts';
import type { Refusal } from './link.ts';

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;

interface VisitorPorts {
  keys: KeyStore;
  /** Of the page. */
  origin: string;
  /** Of the printed URL; null without one. */
  token: string | null;
  /** Told when the token is of no use any more. */
  onTokenUsed: () => void;
  /** Told when this browser has a new key. */
  onNewKey: () => void;
  /** Removes foreign service workers; resolves with true if one controls this page. */
  removeWorkers?: () => Promise<boolean>;
}

export class Visitor {
  readonly #ports: VisitorPorts;
  #token: string | null;
  #tokenRefused = false;
  /** Key of the last proof. */
  #shown: BrowserKey | null = null;
  /** Public keys that the host did not know in this run of tries. */
  readonly #unknown = new Set<string>();

  constructor(ports: VisitorPorts) {
    this.#ports = ports;
    this.#token = ports.token;
  }

  /**
   * Answers the challenge of a new socket, and resolves with whether the host let this browser in: the first two frames of
   * the socket are for it. A null `refusal` means that another try may help. Never rejects.
   */
  async enter(socket: WebSocket): Promise<{ admitted: true } | { admitted: false; refusal: Refusal | null }> {
    const closed = closeOf(socket);
    try {
      const token = this.#token;
      const reply = await this.#ask(socket, closed, async (nonce) => {
        if (await this.#ports.removeWorkers?.()) throw new ControlledPage();
        return token === null ? this.#withKey('enter', nonce) : this.#withToken(token, nonce);
      });
      if (typeof reply === 'number') return { admitted: false, refusal: await this.#refusalOf(reply) };
      await this.#settle();
      return { admitted: true };
    } catch (error) {
      socket.close();
      if (error instanceof ControlledPage) return { admitted: false, refusal: 'worker' };
      return { admitted: false, refusal: error instanceof NoKey ? this.#stranger() : 'storage' };
    }
  }

  /** Resolves with how many browsers were signed out; null where the host did not do it. */
  async signOutOthers(socket: WebSocket): Promise<number | null> {
    const closed = closeOf(socket);
    try {
      const reply = await this.#ask(socket, closed, (nonce) => this.#withKey('sign-out-others', nonce));
      return typeof reply === 'object' && reply.kind === 'signed-out' ? reply.browsers : null;
    } catch {
      return null;
    } finally {
      socket.close();
    }
  }

  /** Resolves with the reply, or with the code of the close that came instead of it. */
  async #ask(
    socket: WebSocket,
    closed: Promise<number>,
    answer: (nonce: string) => Promise<Entry>,
  ): Promise<EntryReply | number> {
    const challenge = await Promise.race([frameOf<Challenge>(socket), closed]);
    if (typeof challenge === 'number') return challenge;
    const entry = await answer(challenge.nonce);
    const reply = frameOf<EntryReply>(socket);
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(entry));
    return Promise.race([reply, closed]);
  }

  async #withKey(kind: 'enter' | 'sign-out-others', nonce: string): Promise<Entry> {
    const [key] = await this.#candidates();
    if (key === undefined) throw new NoKey();
    this.#shown = key;
    return { kind, ...(await this.#proofOf(key, kind, nonce)) };
  }

  async #withToken(token: string, nonce: string): Promise<Entry> {
    const { keys } = this.#ports;
    const former = await keys.current();
    // One that is staged may have gone with this token already, from a page that did not live to hear the answer.
    const key = (await keys.staged()) ?? (await newKey());
    // Before the token is spent: a browser that keeps nothing could not come back.
    await keys.stage(key);
    this.#shown = key;
    return {
      kind: 'sign-in',
      token,
      former: former === null ? null : await this.#proofOf(former, 'sign-in', nonce),
      ...(await this.#proofOf(key, 'sign-in', nonce)),
    };
  }

  /** The keys to try, the likelier first. */
  async #candidates(): Promise<BrowserKey[]> {
    const { keys } = this.#ports;
    const all = [await keys.current(), await keys.staged()];
    return all.filter((key) => key !== null).filter(({ publicKey }) => !this.#unknown.has(publicKey));
  }

  async #proofOf({ privateKey, publicKey }: BrowserKey, kind: Entry['kind'], nonce: string): Promise<Proof> {
    const signed = statement(kind, this.#ports.origin, nonce);
    return { key: publicKey, signature: base64url(await crypto.subtle.sign(SIGNING, privateKey, signed)) };
  }

  /** The key that let this browser in is its key from now on. */
  async #settle(): Promise<void> {
    const { keys, onNewKey } = this.#ports;
    this.#unknown.clear();
    this.#tokenRefused = false;
    if (this.#shown !== null && (await keys.current())?.publicKey !== this.#shown.publicKey) {
      await keys.adopt(this.#shown);
      onNewKey();
    }
    this.#forgetToken();
  }

  #forgetToken(): void {
    if (this.#token === null) return;
    this.#token = null;
    this.#ports.onTokenUsed();
  }

  /** Null where another try may help. */
  async #refusalOf(code: number): Promise<Refusal | null> {
    if (code === ENTRY_CLOSE.token) {
      this.#forgetToken();
      this.#tokenRefused = true;
    } else if (code === ENTRY_CLOSE.stranger && this.#shown !== null) this.#unknown.add(this.#shown.publicKey);
    else return null;
    return (await this.#candidates()).length > 0 ? null : this.#stranger();
  }

  /** All keys were tried; whoever asks once more tries them again. */
  #stranger(): Refusal {
    this.#unknown.clear();
    return this.#tokenRefused ? 'token' : 'stranger';
  }
}

class NoKey extends Error {}
class ControlledPage extends Error {}

async function newKey(): Promise<BrowserKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(CURVE, false, ['sign', 'verify']);
  return { privateKey, publicKey: base64url(await crypto.subtle.exportKey('spki', publicKey)) };
}

function base64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The next frame. */
function frameOf<T>(socket: WebSocket): Promise<T> {
  return new Promise((resolve) => {
    socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data)) as T), { once: true });
  });
}

/** A close follows every error. */
function closeOf(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.addEventListener('close', ({ code }) => resolve(code), { once: true });
  });
}
