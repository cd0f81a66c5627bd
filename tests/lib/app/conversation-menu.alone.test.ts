// The menu of a conversation, mounted without a browser.
import { beforeEach, expect, it, vi } from 'vitest';
import { goto } from '$app/navigation';
import { page as currentPage } from '$app/state';
import ConversationMenu from '#lib/app/conversation-menu.svelte';
import { mountInApp, useDocument } from '../support/dom.ts';
import type PlainMenu from '../support/plain-menu.svelte';

vi.mock('bits-ui', async () => {
  const { default: Part } = await vi.importActual<{ default: typeof PlainMenu }>('../support/plain-menu.svelte');
  return { DropdownMenu: { Root: Part, Trigger: Part, Portal: Part, Content: Part, Item: Part, Separator: Part } };
});
vi.mock('$app/navigation', () => ({ goto: vi.fn() }));

useDocument();
beforeEach(() => void vi.mocked(goto).mockClear());

/** Deletes a conversation on a page and returns the addresses that open. The callback of the page counts as `ondelete`. */
async function deleteOn(path: string, laterPath = path, hasCallback = false): Promise<string[]> {
  currentPage.url = new URL(path, 'http://localhost');
  const deletion = Promise.withResolvers<boolean>();
  const app = { conversationActions: { remove: () => deletion.promise } };
  const conversation = { id: 'one', title: 'First', pinned: false };
  const callback = hasCallback ? { ondelete: () => void goto('ondelete') } : {};
  const menu = await mountInApp(ConversationMenu, { conversation, running: false, ...callback }, app);
  await menu.press('Delete conversation');
  currentPage.url = new URL(laterPath, 'http://localhost');
  deletion.resolve(true);
  await menu.settle();
  return vi.mocked(goto).mock.calls.map(([to]) => String(to));
}

it('opens the start page instead of the page of a deleted conversation', async () => {
  expect(await deleteOn('/chat/one')).toEqual(['/']);
});

it('calls the callback of its page after the deletion', async () => {
  expect(await deleteOn('/history/workflow', '/history/workflow', true)).toEqual(['ondelete']);
});

it('stays on another page, also if the page was opened during the deletion', async () => {
  expect(await deleteOn('/history')).toEqual([]);
  expect(await deleteOn('/chat/one', '/history/trash')).toEqual([]);
  expect(await deleteOn('/history/workflow', '/history/trash', true)).toEqual([]);
});
