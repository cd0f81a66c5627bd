// Nothing that was written is lost: not what was sent and never arrived, and not what was written meanwhile.
import { beforeEach, expect, it, vi } from 'vitest';
import { Draft } from '#lib/chat/composer/draft.svelte.ts';
import { readDraft } from '#lib/app/message-drafts.ts';
import { storage } from '../../support/storage.ts';

beforeEach(() => void vi.stubGlobal('localStorage', storage()));

it('empties the box when a message is sent, and stores the message until it arrives', () => {
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

it('restores an unsent message before the text written since', () => {
  const draft = new Draft('one');
  draft.write('The first');
  draft.take();
  draft.write('The sec');
  draft.giveBack();
  expect([draft.text, readDraft('one')]).toEqual(['The first\n\nThe sec', 'The first\n\nThe sec']);
});

it('moves text written while a conversation is created to the draft of that conversation', () => {
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

it('keeps the draft in memory if it cannot be stored', () => {
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

it('retries of one message share an id until it arrives, also after a restart; other messages have their own', () => {
  const draft = new Draft('one');
  const idOf = (of: Draft, text: string, attached: string[] = [], choice = '{}') => {
    of.write(text);
    of.take();
    const id = of.sendAs(attached, choice);
    of.giveBack();
    return id;
  };
  const id = idOf(draft, 'Go on', ['a']);
  expect(idOf(draft, 'Go on', ['a'])).toBe(id);
  expect(idOf(new Draft('one'), 'Go on', ['a']), 'restarted').toBe(id);
  expect(idOf(new Draft('two'), 'Go on', ['a'])).not.toBe(id);
  const elsewhere = new Draft('one');
  const newer = idOf(draft, 'Both', ['a']);
  expect(idOf(elsewhere, 'Both', ['a']), 'in another window, at the same time').toBe(newer);
  expect(idOf(draft, 'Go on', ['a']), 'after another one').not.toBe(id);
  const other = [idOf(draft, 'Go on!', ['a']), idOf(draft, 'Go on!', []), idOf(draft, 'Go on!', [], '{"model":"m"}')];
  expect(new Set([id, ...other]).size).toBe(4);
  draft.write('Go on');
  draft.take();
  const again = draft.sendAs(['a'], '{}');
  draft.arrived();
  expect(idOf(draft, 'Go on', ['a']), 'said twice').not.toBe(again);
});

it('removes a message that did arrive, and keeps text written since', () => {
  const failed = (text: string, since: string) => {
    const draft = new Draft('one');
    draft.write(text);
    draft.take();
    draft.sendAs([], '');
    draft.write(since);
    draft.giveBack();
    return new Draft('one');
  };
  const left = (draft: Draft) => {
    draft.arrivedAfterAll();
    return [draft.text, readDraft('one'), draft.unanswered];
  };
  expect(left(failed('The first', ''))).toEqual(['', '', null]);
  expect(left(failed('The first', 'The second'))).toEqual(['The second', 'The second', null]);
  const edited = failed('The first', '');
  edited.write('The first one');
  expect(left(edited)).toEqual(['The first one', 'The first one', null]);
});

it('follows drafts written or sent in another window, unless this window has other text', () => {
  const [here, there] = [new Draft('one'), new Draft('one')];
  const told = (act: () => void) => {
    const before = new Map(['one', 'sent-one'].map((key) => [key, localStorage.getItem(`triad-draft-${key}`)]));
    act();
    for (const [key, oldValue] of before) {
      const newValue = localStorage.getItem(`triad-draft-${key}`);
      if (newValue !== oldValue) here.follow({ key: `triad-draft-${key}`, oldValue, newValue });
    }
  };
  told(() => there.write('Both'));
  expect(here.text).toBe('Both');
  told(() => void (there.take(), there.sendAs([], '')));
  expect(here.unanswered?.id, 'sent from here it is the same').toBe(there.unanswered?.id);
  told(() => there.arrived());
  expect([here.text, here.unanswered]).toEqual(['', null]);
  here.text = 'Mine';
  told(() => there.write('Theirs'));
  expect(here.text).toBe('Mine');
});
