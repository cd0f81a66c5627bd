// The output of a command, mounted without a browser.
import { SvelteMap } from 'svelte/reactivity';
import { beforeEach, expect, it, vi } from 'vitest';
import TerminalView from '#lib/runs/call/terminal-view.svelte';
import { readTerminal } from '#lib/view/terminal/terminal.ts';
import type * as reader from '#lib/view/terminal/terminal.ts';
import { mountInApp, useDocument } from '../support/dom.ts';

const original = await vi.importActual<typeof reader>('#lib/view/terminal/terminal.ts');
vi.mock('#lib/view/terminal/terminal.ts', async (load) => {
  const parts = await load<typeof reader>();
  return { ...parts, readTerminal: vi.fn(parts.readTerminal) };
});

useDocument();
beforeEach(() => void vi.mocked(readTerminal).mockReset().mockImplementation(original.readTerminal));

const shown = new SvelteMap<'output', string>();
const facts = { command: 'make', exitCode: null, folder: null, durationMs: null };

async function mountView(output: string) {
  shown.set('output', output);
  const props = {
    ...facts,
    get output() {
      return shown.get('output') ?? null;
    },
  };
  return mountInApp(TerminalView, props);
}

it('shows the final terminal text, and notes that text was overwritten', async () => {
  const page = await mountView('10%\r\x1b[32m100%\x1b[39m');
  await vi.waitFor(() => expect(page.text).toContain('100%'));
  expect(page.find('.text-ok').textContent).toBe('100%');
  expect(page.text).toContain('What was overwritten');
});

it('shows the whole output if the terminal cannot be loaded', async () => {
  vi.mocked(readTerminal).mockRejectedValue(new Error('Failed to fetch'));
  const page = await mountView('10%\r100%');
  await vi.waitFor(() => expect(page.text).toContain('10%'));
  expect(page.text).toContain('100%');
});

it('shows the newer of two outputs that are read at the same time', async () => {
  const older = Promise.withResolvers<void>();
  const reading = older.promise.then(() => original.readTerminal('older'));
  vi.mocked(readTerminal).mockReturnValueOnce(reading);
  const page = await mountView('older');
  shown.set('output', 'newer');
  await page.settle();
  await vi.waitFor(() => expect(page.text).toContain('newer'));
  older.resolve();
  await reading;
  await page.settle();
  expect(page.text).toContain('newer');
  expect(page.text).not.toContain('older');
});
