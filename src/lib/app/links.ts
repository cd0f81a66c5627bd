/** Where other programs find something of Triad: in the app of the desktop by its own links, else at the address of this page. */
import { resolve } from '$app/paths';

/** `workflow`: in the history, with the message that it began with. */
export function linkTo(kind: 'conversation' | 'workflow', id: string): string {
  if (location.protocol === 'app:') return `triad://${kind}/${id}`;
  const path = kind === 'conversation' ? resolve('/chat/[id]', { id }) : resolve('/history/[id]', { id });
  return new URL(path, location.href).href;
}
