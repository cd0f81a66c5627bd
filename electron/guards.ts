/** What no page may do, whichever window it is in: leave the app, open windows, embed others, use the machine, load from elsewhere. */
import { app, session, type WebContents } from 'electron';
import { isOwn } from './app-protocol.ts';
import type { OutsideLinks } from './desktop/outside-link.ts';
import type { Refusals } from './desktop/refusals.ts';

/** Copying code out of an answer; pages ask for nothing else. */
const GRANTED = 'clipboard-sanitized-write';
/** Beside the app's own: what a page made itself, and the tools of whoever develops it. */
const LOCAL = ['blob:', 'data:', 'devtools:'];

export interface GuardPorts {
  refusals: Pick<Refusals, 'note'>;
  links: Pick<OutsideLinks, 'ask'>;
}

/** For everything that is made after it; to be called once, when the app is ready. */
export function guardPages(ports: GuardPorts): void {
  const { refusals } = ports;
  app.on('web-contents-created', (_event, contents) => guard(contents, ports));
  const { defaultSession } = session;
  const granted = (contents: WebContents | null, permission: string, origin: string) =>
    permission === GRANTED && contents !== null && isOwn(contents.getURL()) && isOwn(origin);
  defaultSession.setPermissionRequestHandler((contents, permission, answer, { requestingUrl }) => {
    const isGranted = granted(contents, permission, requestingUrl);
    if (!isGranted) refusals.note('permission', `${permission} to ${requestingUrl}`);
    answer(isGranted);
  });
  // Not told: Chromium looks by itself, too, and whoever goes on from there asks.
  defaultSession.setPermissionCheckHandler((contents, permission, origin) =>
    granted(contents, permission, `${origin.replace(/\/$/, '')}/`),
  );
  defaultSession.setDevicePermissionHandler(({ deviceType, origin }) => {
    refusals.note('device', `${deviceType} to ${origin}`);
    return false;
  });
  defaultSession.webRequest.onBeforeRequest(({ url }, answer) => {
    const isLocal = isOwn(url) || (URL.canParse(url) && LOCAL.includes(new URL(url).protocol));
    if (!isLocal) refusals.note('request', `to ${url}`);
    answer({ cancel: !isLocal });
  });
}

function guard(contents: WebContents, { refusals, links }: GuardPorts): void {
  contents.setWindowOpenHandler(({ url }) => {
    if (isOwn(url) || !isOwn(contents.getURL())) refusals.note('window', `at ${url}`);
    else void links.ask(contents, url);
    return { action: 'deny' };
  });
  // Of every frame; frames within a page go nowhere at all.
  contents.on('will-frame-navigate', (event) => {
    if (event.isMainFrame && isOwn(event.url)) return;
    refusals.note('navigation', `to ${event.url}`);
    event.preventDefault();
  });
  contents.on('will-redirect', (event) => {
    refusals.note('navigation', `by a redirect to ${event.url}`);
    event.preventDefault();
  });
  contents.on('will-attach-webview', (event, _preferences, { src }) => {
    refusals.note('webview', `of ${src}`);
    event.preventDefault();
  });
}
