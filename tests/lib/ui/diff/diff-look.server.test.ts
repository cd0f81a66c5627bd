// How diffs look is chosen once for all of them, and holds after a restart; what is no file never changes its look.
import { render } from 'svelte/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DiffLook } from '#lib/ui/diff/diff-look.svelte.ts';
import DiffParts from '../../support/diff-parts.svelte';
import { storage } from '../../support/storage.ts';

beforeEach(() => vi.stubGlobal('localStorage', storage()));
afterEach(() => vi.unstubAllGlobals());

const shown = (props: { hasModes?: boolean; bare?: boolean } = {}): string => render(DiffParts, { props }).body;

it('wraps lines in one column by default, and stores the chosen look', () => {
  const look = new DiffLook();
  expect([look.wraps, look.besides]).toEqual([true, false]);
  look.toggle('wraps');
  look.toggle('besides');
  const next = new DiffLook();
  expect([next.wraps, next.besides]).toEqual([false, true]);
});

it('a top-level diff has look options, which also apply to nested diffs without options', () => {
  expect(shown()).toContain('Wrap lines');
  expect(shown({ hasModes: false })).not.toContain('Wrap lines');
  expect(shown({ hasModes: false })).toContain('whitespace-pre-wrap');
  new DiffLook().toggle('wraps');
  expect(shown({ hasModes: false })).not.toContain('whitespace-pre-wrap');
});

it('a bare diff always wraps, and offers no look options', () => {
  new DiffLook().toggle('wraps');
  expect(shown({ bare: true })).toContain('whitespace-pre-wrap');
  expect(shown({ bare: true })).not.toContain('Wrap lines');
});
