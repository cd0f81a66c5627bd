// A call that changed files offers to undo them, and says how many there are, whether it can show a difference or not.
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import type { RunRow } from '#contract/view.ts';
import type { App } from '#lib/app/app.svelte.ts';
import type { Call } from '#lib/view/transcript.ts';
import CallParts from '../support/call-parts.svelte';
import { id } from '../support/story.ts';

const run = { id: id(3), conversationId: id(1) } as RunRow;
const app = { attention: { questions: [] }, clock: { now: 0 } } as unknown as App;

function shown(metadata: Record<string, unknown>, change: Call['change']): string {
  const result = {
    ...{ kind: 'tool' as const, n: 1, at: '2026-01-02T03:04:05.000Z', toolCallId: 'toolu_1', name: 'bash' },
    ...{ status: 'completed' as const, output: 'Done.', durationMs: 5, metadata },
  };
  const call: Call = {
    ...{ id: 'toolu_1', name: 'bash', input: { command: 'make' }, draft: null, state: 'completed' },
    ...{ startedAt: null, result, children: [], change, allowedBy: null },
  };
  return render(CallParts, { props: { app, call, run } }).body.replaceAll(/<!--.*?-->/g, '');
}

it.each([
  [{ path: 'a.txt' }, 'done', 'Undo'],
  [{ path: 'a.txt', also: ['b.txt', 'c.txt'], files: 3 }, 'done', 'Undo 3 files'],
  [{ path: 'a.txt', also: ['b.txt'], files: 2 }, 'undone', 'Redo 2 files'],
  // More than are named.
  [{ path: 'a.txt', also: ['b.txt'], files: 2001 }, 'done', 'Undo 2001 files'],
] as const)('offers for %j, which is %s: %s', (metadata, change, button) => {
  expect(shown({ ...metadata, undoable: true }, change)).toMatch(new RegExp(`<button[^>]*>\\s*${button}\\s*</button>`));
});

it('offers nothing where nothing was changed', () => {
  expect(shown({}, null)).not.toMatch(/Undo|Redo/);
});
