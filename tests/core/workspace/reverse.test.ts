/** What stays of a file when a change of it is taken back: nothing that was done since is lost. */
import { describe, expect, test } from 'vitest';
import { sentenceOf } from '#contract/approvals/phrases.ts';
import type { FileNow } from '#core/workspace/file-state.ts';
import { Git } from '#core/workspace/git.ts';
import { reversed } from '#core/workspace/reverse.ts';

const git = new Git(process.env);
const file = (text: string, mode = 0o644): FileNow => ({ kind: 'file', bytes: Buffer.from(text), mode });
const link = (to: string): FileNow => ({ kind: 'link', bytes: Buffer.from(to), mode: 0 });
const folder: FileNow = { kind: 'folder', bytes: Buffer.alloc(0), mode: 0o755 };

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
const text = (changes: Record<number, string> = {}, mode?: number): FileNow =>
  file(`${LINES.map((line, index) => changes[index + 1] ?? line).join('\n')}\n`, mode);

type Case = [what: string, before: FileNow | null, after: FileNow | null, now: FileNow | null, FileNow | null | string];

describe('undoing a change of a file', () => {
  test.for<Case>([
    ['as it was left', text(), text({ 1: 'x' }), text({ 1: 'x' }), text()],
    ['it made the file', null, text(), text(), null],
    ['it removed the file', text(), null, null, text()],
    ['it replaced a link', link('a'), text(), text(), link('a')],
    ['it made an empty folder', null, folder, folder, null],
    ['other lines were changed since', text(), text({ 1: 'x' }), text({ 1: 'x', 7: 'mine' }), text({ 7: 'mine' })],
    ['permissions were changed since', text(), text({ 1: 'x' }), text({ 1: 'x' }, 0o600), text({}, 0o600)],
    [
      'only its permissions, and lines since',
      text({}, 0o755),
      text({}, 0o644),
      text({ 4: 'x' }),
      text({ 4: 'x' }, 0o755),
    ],
    ['it is so already', text(), text({ 1: 'x' }), text(), text()],
    ['somebody took the same back', text(), text({ 1: 'x' }), text({ 7: 'mine' }), text({ 7: 'mine' })],
    ['it is gone already', null, text(), null, null],
    [
      'the same line was changed since',
      text(),
      text({ 1: 'x' }),
      text({ 1: 'y' }),
      'What was changed since is in the way',
    ],
    ['bytes that are no text', file('\0a'), file('\0b'), file('\0c'), 'What was changed since is in the way'],
    ['what it made was changed since', null, text(), text({ 1: 'mine' }), 'It was changed since it was made'],
    ['what it removed was made again', text(), null, text({ 1: 'mine' }), 'It was made again since'],
    ['what it changed was removed', text(), text({ 1: 'x' }), null, 'It was removed since'],
    ['a link is there since', text(), text({ 1: 'x' }), link('a'), 'Something else is there since'],
  ])('gives the expected file or conflict: %s', async ([, before, after, now, expected]) => {
    const found = await reversed(git, { path: 'a', before, after }, now);
    expect(found.outcome === 'conflict' ? sentenceOf(found.why) : found.file).toEqual(expected);
  });
});

test('without git undoes a change of an otherwise unchanged file and merges nothing', async () => {
  const none = new Git({ PATH: '/nowhere' });
  none.file = () => Promise.resolve(null);
  const step = { path: 'a', before: text(), after: text({ 1: 'x' }) };
  expect(await reversed(none, step, text({ 1: 'x' }))).toEqual({ outcome: 'put_back', file: text() });
  expect(await reversed(none, step, text({ 1: 'x', 7: 'y' }))).toMatchObject({ outcome: 'conflict' });
});
