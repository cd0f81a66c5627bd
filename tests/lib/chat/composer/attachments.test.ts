// What is attached: kept before it is shown, one clear refusal that loses nothing, and what goes out.
import { expect, it } from 'vitest';
import { type Attachment, imageTypeOf, sentOf, smallerSides, tokensOf } from '#lib/app/attachments/attachment.ts';
import { Attachments } from '#lib/chat/composer/attachments.svelte.ts';
import { droppedFiles, pastedFiles } from '#lib/chat/composer/transfer.ts';
import { gif, RED } from '../../../support/images.ts';

const note = (name: string): Attachment => ({ kind: 'text', id: name, name, size: 3, text: 'abc', pages: null });
const picture = (name: string, data = 'AAAA'): Attachment => ({
  kind: 'image',
  id: name,
  name,
  size: 3,
  mediaType: 'image/png',
  data,
  thumbnail: '',
  width: 750,
  height: 10,
  smaller: false,
});
const file = (name: string) => new File([''], name);

/** Reads by name: `p…` is a picture, `x…` is refused. */
function open(stored: Attachment[] = [], isKept = true) {
  const kept = new Map([['key', stored]]);
  const store = {
    read: async () => kept.get('key') ?? [],
    write: async (key: string, all: readonly Attachment[]) => {
      if (!isKept) throw new Error('full');
      kept.set(key, [...all]);
    },
  };
  const read = async ({ name }: File): Promise<Attachment> => {
    if (name.startsWith('x')) throw new Error(`${name} is no text`);
    return name.startsWith('p') ? picture(name, name === 'p-large' ? 'A'.repeat(15_999_998) : 'AAAA') : note(name);
  };
  const attachments = new Attachments('key', read, store);
  return {
    attachments,
    kept: () => kept.get('key')?.map(({ name }) => name),
    names: () => attachments.all.map(({ name }) => name),
  };
}

it('restores stored attachments, and stores new ones after them', async () => {
  const { attachments, kept, names } = open([note('before')]);
  await attachments.add([file('a'), file('p')]);
  expect([names(), kept()]).toEqual([
    ['before', 'a', 'p'],
    ['before', 'a', 'p'],
  ]);
  attachments.remove('a');
  expect(names()).toEqual(['before', 'p']);
  const gone = attachments.all;
  await attachments.add([file('since')]);
  attachments.sent(gone);
  expect([names(), kept()]).toEqual([['since'], ['since']]);
});

it('reports the first refused file, and attaches the others', async () => {
  const { attachments, names } = open();
  await attachments.add([file('x1'), file('a'), file('x2')]);
  expect([names(), attachments.failure, attachments.reading]).toEqual([['a'], 'x1 is no text', []]);
  await attachments.add([file('b')]);
  expect([names(), attachments.failure]).toEqual([['a', 'b'], '']);
});

it('rejects attachments above the limits of a message', async () => {
  const { attachments, names } = open();
  await attachments.add(Array.from({ length: 11 }, (_, n) => file(`p${n}`)));
  expect([names().length, attachments.failure]).toEqual([10, 'A message may have 10 pictures']);
  attachments.sent(attachments.all);
  await attachments.add(Array.from({ length: 11 }, (_, n) => file(`t${n}`)));
  expect([names().length, attachments.failure]).toEqual([10, 'A message may have 10 files']);
  attachments.sent(attachments.all);
  await attachments.add([file('p-large'), file('p')]);
  expect([names(), attachments.failure]).toEqual([['p-large'], 'The pictures of a message may have 12 MB together']);
});

it('attaches a file even if the browser cannot store it', async () => {
  const { attachments, names } = open([], false);
  await attachments.add([file('a')]);
  expect([names(), attachments.kept]).toEqual([['a'], false]);
});

it('sends attachments as images and files, and counts their tokens', () => {
  const all = [picture('p'), note('a')];
  expect(sentOf(all)).toEqual({
    images: [{ mediaType: 'image/png', data: 'AAAA' }],
    files: [{ name: 'a', text: 'abc' }],
  });
  expect(sentOf([])).toEqual({});
  expect(tokensOf('hello', all)).toBe(2 + 10);
});

it('recognizes an image by its bytes, and shrinks large sides with the ratio preserved', () => {
  expect([RED, gif(2, 2), Buffer.from('%PDF-1.4')].map(imageTypeOf)).toEqual(['image/png', 'image/gif', null]);
  expect(smallerSides(10_000, 1000)).toEqual({ width: 2000, height: 200 });
  expect(smallerSides(100, 5)).toEqual({ width: 100, height: 5 });
});

it('attaches a pasted image only without pasted text, and pasted files despite the text of their names', () => {
  const pasted = (plain: string, ...names: string[]) =>
    pastedFiles({ files: names.map(file) as unknown as FileList, getData: () => plain }).map(({ name }) => name);
  expect(pasted('', 'image.png')).toEqual(['image.png']);
  expect(pasted('A table\tof words', 'image.png')).toEqual([]);
  expect(pasted('/home/me/a.txt\nb.txt', 'a.txt', 'b.txt')).toEqual(['a.txt', 'b.txt']);
  expect(pasted('words')).toEqual([]);
});

it('separates dropped folders from dropped files', () => {
  const item = (name: string, isDirectory: boolean) => ({
    kind: 'file',
    getAsFile: () => file(name),
    webkitGetAsEntry: () => ({ isDirectory }),
  });
  const items = [item('a', false), item('src', true), { kind: 'string', getAsFile: () => null }];
  const { files, folders } = droppedFiles({ items } as unknown as DataTransfer);
  expect([files.map(({ name }) => name), folders]).toEqual([['a'], ['src']]);
});
