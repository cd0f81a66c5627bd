// Nothing that was written is lost: not what was sent and never arrived, and not what was written meanwhile.
import { beforeEach, expect, it, vi } from 'vitest';
import { Draft } from '#lib/parts/composer/draft.svelte.ts';
import { readDraft } from '#lib/parts/message-drafts.ts';
import { storage } from '../../support/storage.ts';

beforeEach(() => void vi.stubGlobal('localStorage', storage()));

it('the box is empty as soon as a message is sent, and a restart finds it until it arrived', () => {
  const draft = new Draft('one');
  draft.write('The first');
  expect(draft.take()).toBe('The first');
  expect([draft.text, readDraft('one')]).toEqual(['', 'The first']);
  draft.write('The sec');
  expect(readDraft('one')).toBe('The first\n\nThe sec');
  draft.arrived();
  draft.giveBack();
  expect([draft.text, readDraft('one')]).toEqual(['The sec', 'The sec']);
});

it('what did not arrive comes back before what was written since', () => {
  const draft = new Draft('one');
  draft.write('The first');
  draft.take();
  draft.write('The sec');
  draft.giveBack();
  expect([draft.text, readDraft('one')]).toEqual(['The first\n\nThe sec', 'The first\n\nThe sec']);
});

it('what is written while a conversation begins is the draft of that conversation', () => {
  const draft = new Draft('new');
  draft.write('Begin');
  draft.take();
  draft.write('an');
  draft.goOn('c1');
  draft.write('and');
  draft.giveBack();
  expect([readDraft('new'), readDraft('c1'), draft.text]).toEqual(['', 'and', 'and']);
  expect(new Draft('c1').text).toBe('and');
});

it('where nothing can be kept, what is written stands in the box all the same', () => {
  vi.stubGlobal('localStorage', {
    ...storage(),
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError');
    },
  });
  const draft = new Draft('one');
  draft.write('A message');
  expect(draft.text).toBe('A message');
  expect([draft.take(), draft.text]).toEqual(['A message', '']);
  draft.giveBack();
  expect(draft.text).toBe('A message');
});
