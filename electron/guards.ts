/** What no page may do, whichever window it is in: leave the app, open windows, embed others, use the machine. */
import { app, session, shell, type WebContents } from 'electron';
import { isOwn, ORIGIN } from './app-protocol.ts';

/** Copying code out of an answer; pages ask for nothing else. */
const GRANTED = 'clipboard-sanitized-write';

/** For everything that is made after it; to be called once, when the app is ready. */
export function guardPages(): void {
  app.on('web-contents-created', (_event, contents) => guard(contents));
  const { defaultSession } = session;
  const granted = (contents: WebContents | null, permission: string) =>
    permission === GRANTED && contents !== null && isOwn(contents.getURL());
  defaultSession.setPermissionRequestHandler((contents, permission, answer) => answer(granted(contents, permission)));
  defaultSession.setPermissionCheckHandler(
    (contents, permission, origin) => granted(contents, permission) && origin.replace(/\/$/, '') === ORIGIN,
  );
  defaultSession.setDevicePermissionHandler(() => false);
}

function guard(contents: WebContents): void {
  // A link in an answer shows its target before it is clicked; the person's browser opens it.
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: 'deny' };
  });
  // Of every frame; frames within a page go nowhere at all.
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame || !isOwn(event.url)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

function openOutside(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) shell.openExternal(url).catch(() => undefined);
}
