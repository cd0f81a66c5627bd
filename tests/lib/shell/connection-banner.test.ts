// The banner of the connection, mounted without a browser.
import { expect, it, vi } from 'vitest';
import { phrase } from '#contract/approvals/phrases.ts';
import ConnectionBanner from '#lib/shell/connection-banner.svelte';
import { mountInApp, useDocument } from '../support/dom.ts';

useDocument();

it('shows that the computer is offline until the network is back', async () => {
  const page = await mountInApp(ConnectionBanner, { status: 'open' as const });
  expect(page.text).toBe('');
  await page.fire(window, 'offline');
  expect(page.text).toContain('This computer is offline.');
  await page.fire(window, 'online');
  expect(page.text).toBe('');
});

it('shows why work waits while the disk is full', async () => {
  const diskFull = { code: 'store_unwritable' as const, message: 'The disk of /data is full: free some space' };
  const page = await mountInApp(ConnectionBanner, { status: 'open' as const, diskFull });
  expect(page.text).toContain('The work waits. The disk of /data is full: free some space.');
});

it('shows what was recovered of a damaged store until the person hides it', async () => {
  const notice = {
    at: '2026-01-02T03:04:05Z',
    message: 'The store was rebuilt',
    says: [phrase('folder_gone', { folder: '/a' })],
  };
  const onhide = vi.fn();
  const page = await mountInApp(ConnectionBanner, { status: 'open' as const, notice, onhide });
  expect(page.text).toContain('History: The store was rebuilt.');
  await page.press('Hide');
  expect(onhide).toHaveBeenCalledWith(notice.at);
});
