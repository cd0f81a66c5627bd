/** What the person must know about damage of the history: in every window until it is hidden, and after a new start. */
import { expect, onTestFinished, test } from 'vitest';
import { join } from 'node:path';
import { phrase } from '#contract/approvals/phrases.ts';
import type { Attention } from '#contract/view.ts';
import { StoreNotices } from '#core/store/recovery/store-notices.ts';
import { describeRecovery } from '#core/store/recovery/recover-store.ts';
import type { RecoveryReport } from '#core/store/recovery/build-recovered.ts';
import { sentenceOf } from '#contract/approvals/phrases.ts';
import { startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { Script } from '../../support/fake-model/script.ts';
import { memoryStore } from '../../support/stores/pooled.ts';
import { testFolder } from './support.ts';

const setAside = phrase('journal_set_aside', { folder: '/data/journal.set-aside' });
const cut = phrase('journal_damaged', { part: 'end' });

test('every window shows a notice about the history until one of them hides it', async () => {
  const folder = join(await testFolder(), 'store');
  const lines: string[] = [];
  const notices = new StoreNotices(folder, (line) => lines.push(line));
  const engine = await startEngine(new Script(), { store: { ...(await memoryStore()), notices } });
  const states: Attention[] = [];
  const end = await engine.runtime.subscribe('attention', { canAnswer: false }, (state) => states.push(state));
  onTestFinished(end);
  expect(states.at(-1)).not.toHaveProperty('storeNotice');
  await notices.add(setAside);
  expect(lines).toEqual([`${sentenceOf(setAside)}.`]);
  await eventually(() => expect(states.at(-1)?.storeNotice).toMatchObject({ says: [setAside] }));
  const at = states.at(-1)?.storeNotice?.at ?? '';
  await engine.runtime.request('store.hide-notice', { at: '2020-01-01T00:00:00.000Z' });
  expect(notices.current?.at).toBe(at);
  await engine.runtime.request('store.hide-notice', { at });
  await eventually(() => expect(states.at(-1)).not.toHaveProperty('storeNotice'));
  expect(new StoreNotices(folder).current).toBeNull();
});

test('a notice survives a restart and combines the sentences of several kinds of damage', async () => {
  const folder = join(await testFolder(), 'store');
  await new StoreNotices(folder).add(setAside);
  const later = new StoreNotices(folder);
  await later.add(cut);
  await later.add(cut);
  expect(new StoreNotices(folder).current).toMatchObject({
    says: [setAside, cut],
    message: `${sentenceOf(setAside)}. ${sentenceOf(cut)}`,
  });
});

const whole: RecoveryReport = {
  conversations: 2,
  events: 9,
  incomplete: [],
  unfinished: 1,
  damage: [],
  unreadable: null,
};
const part = { file: '/data/archive/rows.jsonl.gz', member: 2, bytes: 9, events: null };

test.each([
  [
    {},
    /^The store was damaged and was rebuilt with 2 conversations and 9 events\. Nothing is missing\. The damaged store/,
  ],
  [{ unreadable: 'not opened' }, /was rebuilt from its archive with/],
  [
    { unreadable: 'not opened' },
    /\. The newest events of 1 unfinished conversation may be missing\. The damaged store/,
  ],
  [{ unreadable: 'not opened', unfinished: 0 }, /\. Nothing is missing\. /],
  [
    {
      incomplete: [
        { conversationId: 'a', missing: [{ from: 2, to: 4 }], isRowMissing: false },
        { conversationId: 'b', missing: [], isRowMissing: true },
      ],
    },
    /3 events of 1 conversation, title and folder of 1 conversation cannot be read: "triad doctor --full" lists/,
  ],
  [{ damage: [{ ...part, isTorn: false }] }, /\. 1 part of the archive cannot be read: /],
  [{ damage: [{ ...part, isTorn: true }] }, /\. Nothing is missing\./],
])('the notice of a recovery names the missing parts: %j', (lost, sentence) => {
  expect(sentenceOf(describeRecovery({ ...whole, ...lost }, 1))).toMatch(sentence);
});

test('the notice of a deleted store does not mention damage', () => {
  const text = sentenceOf(describeRecovery({ ...whole, unreadable: 'gone', unfinished: 0 }, 1, 'missing'));
  expect(text).toBe(
    'The store was missing and was rebuilt from its archive with 2 conversations and 9 events. Nothing is missing',
  );
});

test('the notice of the third recovery within a day warns that the disk may be failing', async () => {
  const folder = join(await testFolder(), 'store');
  const texts: string[] = [];
  const recover = async (hours: number) => {
    const notices = new StoreNotices(folder);
    const says = describeRecovery(whole, notices.countRecovery(hours * 3_600_000));
    await notices.add(says);
    texts.push(sentenceOf(says));
  };
  for (const hours of [1, 20, 30, 31]) await recover(hours);
  expect(texts.map((text) => text.includes('the disk may be failing'))).toEqual([false, false, false, true]);
  expect(texts.at(-1)).toContain('recovery 3 within a day');
});
