/** An output that is too long for a model: its parts, the note between them, and the whole, for as long as it is needed. */
import { access, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { handedOn, MAX_OUTPUT_BYTES } from '#core/tools/long-output.ts';
import { readOutput } from '#core/tools/read-output.ts';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { samples } from '../../support/samples.ts';
import { call, contextIn, contextWith, folderWith } from '../../support/workspace.ts';

const never = () => Promise.reject(new Error('kept'));

test('passes on an output that fits unchanged, without a stored copy', async () => {
  for (const output of ['', 'short', 'x'.repeat(MAX_OUTPUT_BYTES), 'é'.repeat(MAX_OUTPUT_BYTES / 2)])
    expect(await handedOn(output, 'c', never)).toBe(output);
});

test('shortens a long output to its beginning and end, with the line where the rest starts', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '🐦', ' '), maxLength: 400 });
  const lines = fc.array(line, { minLength: 400, maxLength: 600 });
  const shortened = async (all: string[]) => {
    const output = all.join('\n').padEnd(MAX_OUTPUT_BYTES + 1, 'z');
    let kept = 0;
    const handed = await handedOn(output, 'call "1"', () => Promise.resolve(void kept++));
    expect(kept).toBe(1);
    expect(Buffer.byteLength(handed)).toBeLessThan(MAX_OUTPUT_BYTES);
    const [, head = '', left, from, offset, tail = ''] =
      /^([\s\S]*?)\n\[(\d+) of \d+ bytes, from line (\d+) on, are left out[^\n]*"offset":(\d+)\} gives them\.\]\n([\s\S]*)$/.exec(
        handed,
      ) ?? [];
    expect(output.startsWith(head) && output.endsWith(tail)).toBe(true);
    expect(Number(left)).toBe(Buffer.byteLength(output) - Buffer.byteLength(head) - Buffer.byteLength(tail));
    // The head ends with whole lines: the line that is named begins right after it.
    expect(
      output
        .split('\n')
        .slice(0, Number(from) - 1)
        .join('\n'),
    ).toBe(head.replace(/\n$/, ''));
    expect(offset).toBe(from);
    expect(handed).not.toContain('\u{fffd}');
  };
  await fc.assert(fc.asyncProperty(lines, shortened), samples(8));
});

test('cuts one very long line between characters', async () => {
  const handed = await handedOn('🐦'.repeat(40_000), 'c', () => Promise.resolve());
  expect(handed.replaceAll('🐦', '')).toMatch(/^\n\[\d+ of 160000 bytes, from line 1 on, are left out; .*\]\n$/);
});

test.for([
  ['whole lines', '123456789\n'.repeat(6000), 2457 * 10, 2458, 1638 * 10],
  ['lines of exactly one KiB', `${'x'.repeat(1023)}\n`.repeat(60), 24 * 1024, 25, 15 * 1024],
  ['a last line that is too long', `${'x\n'.repeat(12_288)}${'y'.repeat(40_000)}`, 24 * 1024, 12_289, 16 * 1024],
  ['a first line that is too long', `${'y'.repeat(40_000)}\n${'x\n'.repeat(8000)}`, 24 * 1024, 1, 16_000],
] as const)(
  'passes on at most 24 KiB from the beginning and 16 KiB from the end of %s',
  async ([, output, head, from, tail]) => {
    const cut = output.length - head - tail;
    const note = `[${cut} of ${output.length} bytes, from line ${from} on, are left out; read_output {"call":"c","offset":${from}} gives them.]`;
    const handed = await handedOn(output, 'c', () => Promise.resolve());
    expect(handed.split(`\n${note}\n`).map((part) => part.length)).toEqual([head, tail]);
  },
);

/** A lead that searches a large file, then reads what was left out of what it found. */
async function searched(...reads: Record<string, unknown>[]) {
  const script = new Script();
  script.on({ step: 1 }).reply([toolUse('grep', { pattern: 'line' }, { id: 'big' })]);
  script.on({ step: 2 }).reply(reads.map((more) => toolUse('read_output', { call: 'big', ...more })));
  script.on({}).reply([text('Done.')]);
  const lines = Array.from({ length: 500 }, (_, n) => `line ${n} ${'x'.repeat(300)}`);
  const engine = await startEngine(script, { files: { 'a.txt': lines.join('\n') } });
  await engine.ask('Search');
  const [found, ...others] = engine.of('tool-end').map(({ entry }) => entry);
  // They are read at once: whichever ends first.
  const [read, none] = ['completed', 'error'].map((status) => others.find((one) => one.status === status)!);
  return { engine, found: found!, read: read!, none: none! };
}

test('read_output reads the rest in pages by line, and reports a call without a long output', async () => {
  const { engine, found, read, none } = await searched({ offset: 200, limit: 2 }, { call: 'none' });
  expect(none).toMatchObject({ status: 'error', output: 'No long output is kept of the call none' });
  expect(Buffer.byteLength(found.output)).toBeLessThan(MAX_OUTPUT_BYTES);
  expect(found.output).toMatch(
    /a\.txt:1:line 0 [\s\S]*read_output \{"call":"big","offset":\d+\} gives them[\s\S]*a\.txt:500:line 499/,
  );
  expect(read.status).toBe('completed');
  expect(
    read.output
      .split('\n')
      .slice(0, 2)
      .map((line) => line.slice(0, 18)),
  ).toEqual(['a.txt:200:line 199', 'a.txt:201:line 200']);
  expect(read.output).toContain('Go on with offset 202.');
  // It is the conversation's: deleted for good, it is gone.
  const kept = join(`${engine.folder}-replaced`, engine.conversationId);
  expect((await readdir(kept)).filter((name) => name.endsWith('.output'))).toHaveLength(1);
  const { conversationId, runtime } = engine;
  await runtime.request('conversation.delete', { conversationId });
  await runtime.request('conversation.purge', { conversationId });
  await expect(access(kept)).rejects.toThrow('ENOENT');
});

test('reports that the omitted part could not be stored', async () => {
  const said = await handedOn('x\n'.repeat(40_000), 'c', never);
  expect(said).toContain('they could not be kept');
  expect(said).not.toContain('read_output');
});

test('reads the output of a command as UTF-8, even with invalid bytes', async () => {
  const folder = await folderWith({ output: Buffer.from([7, 0xe9, 0x0a]) });
  const output = () => open(join(folder, 'output'));
  const read = await call(readOutput, { call: 'c' }, contextWith(contextIn(folder), { outputs: { open: output } }));
  expect(read.output).toContain('\x07\uFFFD\n[Some bytes are no text');
});
