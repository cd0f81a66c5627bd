/** Where a fork leads: to its page, with what could not be sent there as its draft. */
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import type { WorkflowRow } from '#contract/view.ts';
import type { App } from '#lib/app/app.svelte.ts';
import { writeDraft } from '#lib/parts/message-drafts.ts';

export async function openFork(id: string): Promise<void> {
  await goto(resolve('/chat/[id]', { id }));
}

/** Sends a text in the place of a message and goes there. False where nothing was forked. */
export async function resend(app: Pick<App, 'forks'>, workflow: WorkflowRow, message: string): Promise<boolean> {
  const made = await app.forks.resend(workflow, message);
  if (made === null) return false;
  if (!made.sent) writeDraft(made.id, message);
  await openFork(made.id);
  return true;
}
