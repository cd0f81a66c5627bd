/** Opens a fork, with an unsent message as its draft. */
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import { LOOK_AT_ATTACHED } from '#contract/messages/sending-limits.ts';
import type { WorkflowRow } from '#contract/view.ts';
import type { App } from './app.svelte.ts';
import { imagesOf } from './forks.ts';
import { failureText } from '#lib/words/request-error.ts';
import type { Attachment } from './attachments/attachment.ts';
import { attachedAgain } from './attachments/attached-again.ts';
import { indexedAttachments } from './attachments/kept-attachments.ts';
import { readDraft, writeDraft, writeTry } from './message-drafts.ts';
import { editable } from '#lib/view/attached-texts.ts';

export async function openFork(id: string): Promise<void> {
  await goto(resolve('/chat/[id]', { id }));
}

/** Opens a fork that ends before a message. The message is the draft of the fork. */
export async function openForkBefore(
  app: Pick<App, 'connection' | 'toasts'>,
  id: string,
  workflow: WorkflowRow,
): Promise<void> {
  await leaveDraft(app, id, { workflow, message: workflow.prompt });
  await openFork(id);
}

/**
 * Stores a message with its attachments as the draft of a fork. If they cannot be attached again, shows a toast and stores
 * the whole text.
 */
async function leaveDraft(
  { connection, toasts }: Pick<App, 'connection' | 'toasts'>,
  id: string,
  { workflow, message, sentAs }: { workflow: WorkflowRow; message: string; sentAs?: string },
): Promise<void> {
  try {
    const { words, attachments } = await readMessage(connection, workflow, message);
    await indexedAttachments().write(id, attachments);
    writeDraft(id, words);
    // The message may have arrived without its answer, so the next try has the same id.
    const attached = attachments.map((one) => one.id);
    if (sentAs !== undefined) writeTry(id, { id: sentAs, text: words, attached, choice: '' });
  } catch (error) {
    toasts.error(failureText(error));
    writeDraft(id, message);
    if (sentAs !== undefined) writeTry(id, { id: sentAs, text: message, attached: [], choice: '' });
  }
}

/** Puts words and attachments before the unsent message of a conversation that is not open. */
export async function addToDraft(id: string, words: string, attachments: readonly Attachment[]): Promise<void> {
  writeDraft(id, [words, readDraft(id)].filter((part) => part.trim() !== '').join('\n\n'));
  const stored = indexedAttachments();
  await stored.write(id, [...attachments, ...(await stored.read(id).catch(() => []))]).catch(() => undefined);
}

/** Returns the words and attachments of a message that was sent; texts that cannot be attached stay among the words. */
export async function returnedMessage(
  { connection, toasts }: Pick<App, 'connection' | 'toasts'>,
  workflow: WorkflowRow,
): Promise<{ words: string; attachments: Attachment[] }> {
  try {
    return await readMessage(connection, workflow, workflow.prompt);
  } catch (error) {
    toasts.error(failureText(error));
    return { words: workflow.prompt, attachments: [] };
  }
}

async function readMessage(
  connection: App['connection'],
  workflow: WorkflowRow,
  message: string,
): Promise<{ words: string; attachments: Attachment[] }> {
  const { words, files } = editable(message);
  const images = (await imagesOf(connection, workflow)) ?? [];
  return {
    words: words === LOOK_AT_ATTACHED ? '' : words,
    attachments: await attachedAgain({ images, files }, connection),
  };
}

/** Sends a text in the place of a message and goes there. False where nothing was forked. */
export async function resend(
  app: Pick<App, 'forks' | 'connection' | 'toasts'>,
  workflow: WorkflowRow,
  message: string,
): Promise<boolean> {
  const made = await app.forks.resend(workflow, message);
  if (made === null) return false;
  if (!made.sent) await leaveDraft(app, made.id, { workflow, message, sentAs: made.sentAs });
  await openFork(made.id);
  return true;
}
