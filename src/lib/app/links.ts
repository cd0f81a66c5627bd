/** Where other programs find something of Triad: in the app of the desktop by its own links, else at the address of this page. */
import { resolve } from '$app/paths';
import { isInBrowser } from './client/connect-to-host.ts';
import { copyText } from '#lib/ui/copy-text.ts';
import type { Toasts } from '#lib/ui/toasts.ts';
import { text } from '#lib/words/text.ts';

type Linked = 'conversation' | 'workflow';

/** Copies the link, and says so. `workflow`: in the history, with the message that it began with. */
export function copyLink(toasts: Toasts, kind: Linked, id: string): Promise<void> {
  return copyText(toasts, linkTo(kind, id), text.menu.linkCopied);
}

function linkTo(kind: Linked, id: string): string {
  if (!isInBrowser()) return `triad://${kind}/${id}`;
  const path = kind === 'conversation' ? resolve('/chat/[id]', { id }) : resolve('/history/[id]', { id });
  return new URL(path, location.href).href;
}
