/** What can be done with a whole conversation: give it a title, pin it, move it to the trash, restore it, delete it for good, download it, find its folder. */
import type { Client, Input } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import { visibleText } from '#contract/visible-text.ts';
import { succeeds, type Toasts } from '#lib/ui/toasts.ts';
import { copyText } from '#lib/ui/copy-text.ts';
import { text } from '#lib/words/text.ts';

export type ExportFormat = 'md' | 'json';

const TYPES: Readonly<Record<ExportFormat, string>> = { md: 'text/markdown', json: 'application/json' };

/** The folder of a session, and whether this program can show it in a file manager. */
export interface SessionPlace {
  folder: string;
  opens: boolean;
}

/** Lists on the screen that follow these actions. */
export interface ConversationLists {
  removed(conversationId: string): void;
  restored(conversationId: string): void;
  changed(row: ConversationRow): void;
}

export class ConversationActions {
  readonly #client: Client;
  readonly #toasts: Toasts;
  readonly #lists: ConversationLists;

  constructor(client: Client, toasts: Toasts, lists: ConversationLists) {
    this.#client = client;
    this.#toasts = toasts;
    this.#lists = lists;
  }

  /** Moves it to the trash and offers to undo that. Returns whether it was moved; a toast says why it was not. */
  async remove(conversationId: string): Promise<boolean> {
    if (!(await this.#toTrash(conversationId))) return false;
    this.#toasts.offer(text.trash.moved, text.trash.undo, () => void this.restore(conversationId));
    return true;
  }

  /** Moves several, and offers to undo that for all of them. Returns those that were moved. */
  async removeAll(conversationIds: readonly string[]): Promise<string[]> {
    const moved: string[] = [];
    for (const id of conversationIds) if (await this.#toTrash(id)) moved.push(id);
    if (moved.length > 0)
      this.#toasts.offer(text.shell.movedToTrash(moved.length), text.trash.undo, () => void this.#restoreAll(moved));
    return moved;
  }

  async #toTrash(conversationId: string): Promise<boolean> {
    const asked = this.#client.request('conversation.delete', { conversationId });
    const moved = await succeeds(this.#toasts, asked);
    if (moved) this.#lists.removed(conversationId);
    return moved;
  }

  async #restoreAll(conversationIds: readonly string[]): Promise<void> {
    for (const id of conversationIds) await this.restore(id);
  }

  /** Gives it another title; an empty one is that of its first message. Returns whether that was done. */
  rename(conversationId: string, title: string): Promise<boolean> {
    return this.#keep({ conversationId, title });
  }

  pin(conversationId: string, pinned: boolean): Promise<boolean> {
    return this.#keep({ conversationId, pinned });
  }

  #keep(kept: Input<'conversation.keep'>): Promise<boolean> {
    return succeeds(
      this.#toasts,
      this.#client.request('conversation.keep', kept).then((row) => this.#lists.changed(row)),
    );
  }

  /** Takes it out of the trash. Returns whether that was done. */
  async restore(conversationId: string): Promise<boolean> {
    const asked = this.#client.request('conversation.restore', { conversationId });
    if (!(await succeeds(this.#toasts, asked))) return false;
    this.#lists.restored(conversationId);
    this.#toasts.info(text.trash.restored);
    return true;
  }

  /** Deletes it for good. Returns whether that was done. */
  purge(conversationId: string): Promise<boolean> {
    return succeeds(this.#toasts, this.#client.request('conversation.purge', { conversationId }));
  }

  /** Where its Markdown lies; null where none is kept, or where that cannot be asked now. */
  async placeOf(conversationId: string): Promise<SessionPlace | null> {
    const { folder, opens } = await this.#client
      .request('conversation.folder', { conversationId })
      .catch(() => ({ folder: null, opens: false }));
    return folder === null ? null : { folder, opens };
  }

  /** Shows that folder in the file manager of the desktop. Returns whether it did. */
  openFolder(conversationId: string): Promise<boolean> {
    return succeeds(this.#toasts, this.#client.request('conversation.folder', { conversationId, open: true }));
  }

  /** Copies the path of that folder, and says it. */
  copyFolder({ folder }: SessionPlace): Promise<void> {
    return copyText(this.#toasts, folder, text.menu.folderCopied(visibleText(folder)));
  }

  /** Saves it as a file in Markdown or JSON through the browser. */
  async download(conversationId: string, format: ExportFormat): Promise<void> {
    const made = this.#client
      .request('conversation.export', { conversationId, format })
      .then((file) => save(file.fileName, new Blob([file.text], { type: TYPES[format] })));
    await succeeds(this.#toasts, made);
  }
}

function save(fileName: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = fileName;
  link.click();
  // The browser holds the blob once the click was handled.
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}
