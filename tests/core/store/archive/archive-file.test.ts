/** Files of gzip members after a cut at any length, and after a flipped bit anywhere. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { appendMember, EMPTY_END, readEnd, readMembers } from '#core/store/archive/archive-file.ts';
import { encodeMember, HEADER_BYTES } from '#core/store/archive/gzip-member.ts';
import { inFullRun } from '../../../support/samples.ts';
import { testFolder } from '../support.ts';

const TEXTS = ['{"row":1}\n', '{"event":"one"}\n{"event":"two"}\n', '{"event":"three"}\n'];
const RANGES = [
  { from: 0, to: 0 },
  { from: 1, to: 2 },
  { from: 3, to: 3 },
];

/** A file with three members; `ends` are the positions behind each. */
async function writeFileOfThree(): Promise<{ path: string; bytes: Buffer; ends: number[] }> {
  const path = join(await testFolder(), 'file.jsonl.gz');
  const ends: number[] = [];
  for (const [index, text] of TEXTS.entries()) {
    const end = await readEnd(path);
    await appendMember(path, end, await encodeMember(text, RANGES[index]!));
    ends.push((await readEnd(path)).bytes);
  }
  return { path, bytes: await readFile(path), ends };
}

async function readAll(path: string) {
  const [texts, damages] = [[] as string[], []] as [string[], NonNullable<unknown>[]];
  for await (const { member, damage } of readMembers(path)) {
    if (member) texts.push(member.text);
    else damages.push(damage);
  }
  return { texts, damages };
}

test('standard gzip decompresses the file, and the end of the file names the last event', async () => {
  const { path, bytes } = await writeFileOfThree();
  expect(gunzipSync(bytes).toString()).toBe(TEXTS.join(''));
  expect(await readAll(path)).toEqual({ texts: TEXTS, damages: [] });
  expect(await readEnd(path)).toEqual({ bytes: bytes.length, lastSeq: 3, text: TEXTS[2] });
  expect(await readEnd(join(path, '..', 'none'))).toEqual(EMPTY_END);
});

test('an append after a cut at any length leaves whole members only', async () => {
  const { path, bytes, ends } = await writeFileOfThree();
  const [, second = 0] = ends;
  const again = await encodeMember(TEXTS[2]!, RANGES[2]!);
  for (let length = second; length < bytes.length; length += inFullRun ? 1 : 5) {
    await writeFile(path, bytes.subarray(0, length));
    const { damages } = await readAll(path);
    expect(damages).toHaveLength(length === second ? 0 : 1);
    if (length > second) expect(damages[0]).toMatchObject({ isTorn: true, member: 3, bytes: length - second });
    const end = await readEnd(path);
    expect(end).toMatchObject({ bytes: second, lastSeq: 2 });
    await appendMember(path, end, again);
    expect(await readFile(path)).toEqual(bytes);
  }
});

test('an append shorter than a torn end removes all of it', async () => {
  const { path, bytes, ends } = await writeFileOfThree();
  const [, second = 0] = ends;
  await writeFile(path, Buffer.concat([bytes.subarray(0, second), Buffer.alloc(500, 7)]));
  await appendMember(path, await readEnd(path), await encodeMember(TEXTS[2]!, RANGES[2]!));
  expect(await readFile(path)).toEqual(bytes);
});

test('a flipped bit loses one member, and the damage names it', async () => {
  let losses = 0;
  const { path, bytes, ends } = await writeFileOfThree();
  const starts = [0, ...ends];
  for (let at = 0; at < bytes.length; at += inFullRun ? 1 : 7) {
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 1 << (at % 8);
    await writeFile(path, damaged);
    const index = ends.findIndex((end) => at < end);
    const { texts, damages } = await readAll(path);
    // Bits after the end of the compressed text have no effect.
    if (damages.length === 0) {
      expect(texts).toEqual(TEXTS);
      continue;
    }
    expect(texts, `byte ${at}`).toEqual(TEXTS.filter((_, other) => other !== index));
    losses += 1;
    const isHeader = at - starts[index]! < HEADER_BYTES;
    expect(damages).toEqual([
      {
        file: path,
        member: index + 1,
        bytes: ends[index]! - starts[index]!,
        events: isHeader ? null : RANGES[index],
        isTorn: isHeader && index === 2,
      },
    ]);
  }
  expect(losses).toBeGreaterThan(20);
});
