// The menu of a conversation, mounted without a browser.
import { beforeEach, expect, it, vi } from 'vitest';
import { goto } from '$app/navigation';
import { page as shown } from '$app/state';
import ConversationMenu from '#lib/parts/conversation-menu.svelte';
import { mountInApp, useDocument } from '../support/dom.ts';
import type PlainMenu from '../support/plain-menu.svelte';

vi.mock('bits-ui', async () => {
  const { default: Part } = await vi.importActual<{ default: typeof PlainMenu }>('../support/plain-menu.svelte');
  return { DropdownMenu: { Root: Part, Trigger: Part, Portal: Part, Content: Part, Item: Part, Separator: Part } };
});
vi.mock('$app/navigation', () => ({ goto: vi.fn() }));

useDocument();
beforeEach(() => void vi.mocked(goto).mockClear());

/** Addresses that the page goes to; the callback of the page counts as `ondelete`. */
async function deleteOn(path: string, leaves = path, hasOwnWay = false): Promise<string[]> {
  shown.url = new URL(path, 'http://localhost');
  const deletion = Promise.withResolvers<boolean>();
  const app = { conversationActions: { remove: () => deletion.promise } };
  const conversation = { id: 'one', title: 'First', pinned: false };
  const own = hasOwnWay ? { ondelete: () => void goto('ondelete') } : {};
  const menu = await mountInApp(ConversationMenu, { conversation, running: false, ...own }, app);
  await menu.press('Delete conversation');
  shown.url = new URL(leaves, 'http://localhost');
  deletion.resolve(true);
  await menu.settle();
  return vi.mocked(goto).mock.calls.map(([to]) => String(to));
}

it('leads from the page of a deleted conversation to the start page', async () => {
  expect(await deleteOn('/chat/one')).toEqual(['/']);
});

it('calls what its page does after the deletion', async () => {
  expect(await deleteOn('/history/workflow', '/history/workflow', true)).toEqual(['ondelete']);
});

it('stays on another page, also on one that was opened while the deletion was under way', async () => {
  expect(await deleteOn('/history')).toEqual([]);
  expect(await deleteOn('/chat/one', '/history/trash')).toEqual([]);
  expect(await deleteOn('/history/workflow', '/history/trash', true)).toEqual([]);
});
