/** Runs before a page, in its own world, and gives it two functions: `request` and `subscribe`. */
import { contextBridge, ipcRenderer } from 'electron';
import type { Bridge, BridgeReply, ClientFrame, ServerFrame } from '#contract/frames.ts';
import { CHANNEL, LANGUAGE_CHANNEL, TOLD_CHANNEL } from './channel.ts';

const GONE: BridgeReply = {
  ok: false,
  error: { code: 'disconnected', message: 'The connection to Triad broke before the answer came' },
};

/** What of a page's own world is used here; the rest of this program has none. */
interface Page {
  document: {
    documentElement: { lang: string };
    addEventListener(
      type: 'securitypolicyviolation',
      listener: (violation: { effectiveDirective: string; blockedURI: string }) => void,
    ): void;
  };
  MutationObserver: new (changed: (changes: readonly { target: unknown }[]) => void) => {
    observe(target: unknown, options: object): void;
  };
}

exposeBridge();
tellLanguage();
tellProtection();

/** The process itself says what holds it; the policy's every refusal is for the log. */
function tellProtection(): void {
  const { sandboxed, contextIsolated } = process;
  const tell = (told: object) => ipcRenderer.send(TOLD_CHANNEL, told);
  tell({ kind: 'process', sandbox: sandboxed === true, isolation: contextIsolated === true });
  const { document } = globalThis as unknown as Page;
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    tell({ kind: 'content', directive: effectiveDirective, blocked: blockedURI.slice(0, 500) }),
  );
}

/** Menus and notifications speak as the page does; the document may not be there yet, and its first language is not chosen. */
function tellLanguage(): void {
  const { document, MutationObserver } = globalThis as unknown as Page;
  const observer = new MutationObserver((changes) => {
    const { documentElement } = document;
    if (changes.some(({ target }) => target === documentElement))
      ipcRenderer.send(LANGUAGE_CHANNEL, documentElement.lang);
  });
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['lang'] });
}

function exposeBridge(): void {
  const pending = new Map<number, (reply: BridgeReply) => void>();
  const listeners = new Map<number, Parameters<Bridge['subscribe']>[2]>();
  let lastId = 0;
  const send = (frame: ClientFrame) => ipcRenderer.send(CHANNEL, frame);

  const receive = ({ id, ...message }: ServerFrame) => {
    if (message.kind === 'events') return listeners.get(id)?.({ events: message.events });
    pending.get(id)?.(message.reply);
    pending.delete(id);
    listeners.get(id)?.(message.reply);
    if (!message.reply.ok) listeners.delete(id);
  };
  const end = () => {
    const [answers, ends] = [[...pending.values()], [...listeners.values()]];
    pending.clear();
    listeners.clear();
    for (const answer of answers) answer(GONE);
    for (const listener of ends) listener(null);
  };
  // What comes from the main process is typed there; a page cannot send on this channel to itself.
  ipcRenderer.on(CHANNEL, (_event, frame: ServerFrame | null) => (frame === null ? end() : receive(frame)));

  const bridge: Bridge = {
    request: (method, input) =>
      new Promise((resolve) => {
        const id = ++lastId;
        pending.set(id, resolve);
        send({ kind: 'request', id, method, input });
      }),
    subscribe: (topic, input, listener) => {
      const id = ++lastId;
      listeners.set(id, listener);
      send({ kind: 'subscribe', id, topic, input });
      return () => {
        if (listeners.delete(id)) send({ kind: 'unsubscribe', id });
      };
    },
  };
  contextBridge.exposeInMainWorld('triad', bridge);
}
