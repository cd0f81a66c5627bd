// The row of a tool call: a view for each kind of call, its image, and the undo of its changes with the number of files.
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import type { Image } from '#contract/message.ts';
import type { RunRow } from '#contract/view.ts';
import type { Call } from '#lib/view/transcript.ts';
import { createPartialApp } from '../support/partial-app.ts';
import CallParts from '../support/call-parts.svelte';
import { FakeConnection } from '../support/fake-connection.ts';
import { idOf } from '../../support/recording.ts';

const run = { id: idOf(3), conversationId: idOf(1) } as RunRow;
const connection = new FakeConnection().on('call.image', () => ({ data: 'AAAA' }));
const app = createPartialApp({ attention: { questions: [] }, clock: { now: 0 }, connection });

function renderCall(
  { name, input, output, image }: { name: string; input: unknown; output: string; image?: Image },
  metadata: Record<string, unknown> = {},
  change: Call['change'] = null,
): string {
  const result = {
    kind: 'tool' as const,
    n: 1,
    at: '2026-01-02T03:04:05.000Z',
    toolCallId: 'toolu_1',
    name,
    status: 'completed' as const,
    output,
    durationMs: 5,
    metadata,
    ...(image && { image }),
  };
  const call: Call = {
    id: 'toolu_1',
    name,
    input,
    draft: null,
    state: 'completed',
    startedAt: null,
    result,
    children: [],
    change,
    allowedBy: null,
  };
  return render(CallParts, { props: { app, call, run } }).body.replaceAll(/<!--.*?-->/g, '');
}

function shown(metadata: Record<string, unknown>, change: Call['change']): string {
  return renderCall({ name: 'bash', input: { command: 'make' }, output: 'Done.' }, metadata, change);
}

it.each([
  [{ path: 'a.txt' }, 'done', 'Undo'],
  [{ path: 'a.txt', also: ['b.txt', 'c.txt'], files: 3 }, 'done', 'Undo 3 files'],
  [{ path: 'a.txt', also: ['b.txt'], files: 2 }, 'undone', 'Redo 2 files'],
  // More than are named.
  [{ path: 'a.txt', also: ['b.txt'], files: 2001 }, 'done', 'Undo 2001 files'],
] as const)('offers a button for %j, which is %s: %s', (metadata, change, button) => {
  expect(shown({ ...metadata, undoable: true }, change)).toMatch(new RegExp(`<button[^>]*>\\s*${button}\\s*</button>`));
});

it('offers no undo for a call without changes', () => {
  expect(shown({}, null)).not.toMatch(/Undo|Redo/);
});

it.each([
  ['bash', { command: 'make' }, 'Built.', 'aria-label="Command"'],
  ['grep', { pattern: 'sum' }, 'a.js:1:sum', 'aria-label="Matches"'],
  ['list_directory', { path: '.' }, 'README.md\nsrc/', 'aria-label="Entries"'],
  ['todo_write', { items: [{ content: 'Test it', status: 'in_progress', priority: 'low' }] }, 'Kept.', 'at work:'],
  ['read_file', { path: 'a.md' }, 'Words.', 'aria-label="Output"'],
  ['think', { thought: 'Perhaps not.' }, 'Noted.', 'Perhaps not.'],
])('shows a call of %s in its own view, with a button for plain text', (name, input, output, part) => {
  const html = renderCall({ name, input, output });
  expect(html).toContain(part);
  expect(html).not.toContain('aria-label="Arguments"');
  expect(html).toMatch(/<button[^>]*>\s*Show as text\s*<\/button>/);
});

it('shows a file change as a diff', () => {
  const diff = '--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-const a = 1;\n+const a = 2;\n';
  const html = renderCall({ name: 'edit_file', input: { path: 'x.js' }, output: 'Edited x.js' }, { diff });
  expect(html).toContain('aria-label="Changes"');
  expect(html).toContain('const a = 2;');
});

it('shows arguments and output as text for a call that has no view of its own', () => {
  const html = renderCall({ name: 'ask_question', input: { question: 'Which?' }, output: 'This one.' });
  expect(html).toContain('aria-label="Arguments"');
  expect(html).not.toContain('Show as text');
});

it('requests the stored image of a call by its hash', () => {
  const image = { mediaType: 'image/png' as const, bytes: 3, width: 4, height: 3, sha256: 'b'.repeat(64) };
  renderCall({ name: 'read_file', input: { path: 'red.png' }, output: 'An image.', image });
  expect(connection.calls).toEqual([
    { method: 'call.image', input: { conversationId: run.conversationId, sha256: image.sha256 } },
  ]);
});
