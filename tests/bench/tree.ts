/** A large workspace. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const NEEDLE = 'needle_in';
/** One of so many files has it. */
const RARE = 5000;
const LINES = 60;
/** Files written at a time. */
const AT_A_TIME = 500;

/** Files of a few kilobytes in a thousand folders; returns how many have a match. */
export async function seedTree(folder: string, count: number): Promise<number> {
  const names = Array.from({ length: count }, (_, n) =>
    join(folder, `part-${n % 25}/module-${((n / 25) % 40) | 0}/${n}.ts`),
  );
  const folders = new Set(names.map(dirname));
  for (const one of folders) await mkdir(one, { recursive: true });
  const text = (n: number): string =>
    Array.from({ length: LINES }, (_, line) => `export const value${line} = parse(stream, ${n * line});\n`).join('');
  for (let at = 0; at < count; at += AT_A_TIME) {
    const some = names.slice(at, at + AT_A_TIME).entries();
    await Promise.all(
      some.map(([n, name]) => writeFile(name, text(at + n) + ((at + n) % RARE === 17 ? `${NEEDLE} ${at + n}\n` : ''))),
    );
  }
  return Math.ceil((count - 17) / RARE);
}
