/** The runtime behind this page: of the desktop shell where there is one, else of the host that served it. */
import type { Bridge } from '#contract/frames.ts';
import { BridgeLink } from './bridge-link.ts';
import { type Connection, LinkConnection } from './connection.ts';
import { indexedKeys } from './key-store.ts';
import { forgetSignInToken, signInToken } from './sign-in-token.ts';
import { SocketLink } from './socket-link.ts';
import { Visitor } from './visitor.ts';

declare global {
  interface Window {
    readonly triad?: Bridge;
  }
}

/** Tells the other tabs of this browser that it has a new key. */
const NEW_KEY = 'triad.new-key';

export function connectToHost(): Connection {
  const bridge = window.triad;
  if (bridge !== undefined) return new LinkConnection(() => new BridgeLink(bridge));
  const tabs = new BroadcastChannel(NEW_KEY);
  const visitor = visitorOf(() => tabs.postMessage(null));
  const connection = new LinkConnection(() => new SocketLink(openSocket(), visitor));
  tabs.onmessage = () => connection.retry();
  // After a sleep, or when somebody looks again, nobody waits for the next try.
  const hurry = () => connection.status !== 'refused' && connection.retry();
  window.addEventListener('online', hurry);
  document.addEventListener('visibilitychange', hurry);
  return connection;
}

/** Whether this page is one of several browsers that a host may have let in. */
export const isInBrowser = (): boolean => window.triad === undefined;

/** Resolves with how many other browsers were signed out; null where the host could not be asked. */
export function signOutOtherBrowsers(): Promise<number | null> {
  return visitorOf(() => undefined).signOutOthers(openSocket());
}

/** The content policy with which this page was served, as the header says; null where it has none, or nobody answers. */
export async function servedPolicy(): Promise<string | null> {
  const served = await fetch(location.pathname, { cache: 'no-store' }).catch(() => null);
  await served?.body?.cancel().catch(() => undefined);
  return served?.headers.get('content-security-policy') ?? null;
}

function visitorOf(onNewKey: () => void): Visitor {
  const { origin } = location;
  const keys = indexedKeys();
  const token = signInToken();
  return new Visitor({ keys, origin, token, onTokenUsed: forgetSignInToken, onNewKey, removeWorkers });
}

/**
 * Removes the service workers of this origin, and returns true if one controls the page. The app has none: such a worker is
 * of a program that served the address before, and can read the page.
 */
async function removeWorkers(): Promise<boolean> {
  if (!('serviceWorker' in navigator)) return false;
  const { controller } = navigator.serviceWorker;
  const registrations = await navigator.serviceWorker.getRegistrations();
  await Promise.all(registrations.map((registration) => registration.unregister()));
  return controller !== null;
}

function openSocket(): WebSocket {
  const url = new URL('/ws', location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return new WebSocket(url);
}
