/** Data and notes: kept apart, in order on one terminal, held back under a question, and silent once nobody reads. */
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createScreen } from '#hosts/cli/terminal/screen.ts';

/** Two streams that write to one place, as two of one terminal do. */
function terminal(isTTY: boolean, env: Record<string, string> = {}) {
  let text = '';
  const stream = () => {
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        text += chunk.toString();
        done();
      },
    });
    return Object.assign(sink, { isTTY, columns: 120 });
  };
  return { screen: createScreen(stream(), stream(), env, () => undefined), text: () => text };
}

test('on a terminal a note waits for the data before it and starts its own line', async () => {
  const { screen, text } = terminal(true);
  screen.data('half a ');
  screen.data('line');
  screen.note('note');
  screen.data('more\n');
  screen.note('last');
  await screen.flush();
  expect(text()).toBe('half a line\nnote\nmore\nlast\n');
});

test('counts the data that was not read yet', async () => {
  const out = new Writable({ write: () => undefined });
  const screen = createScreen(out, new PassThrough(), {}, () => undefined);
  screen.data('unread');
  await new Promise((resolve) => setImmediate(resolve));
  expect(screen.backlog).toBe(6);
});

test('a pipe receives exactly the data, without notes', async () => {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const screen = createScreen(out, err, {}, () => undefined);
  screen.data('half');
  screen.note('note');
  await screen.flush();
  expect([String(out.read()), String(err.read())]).toEqual(['half', 'note\n']);
  expect(screen.width).toBe(Infinity);
});

test('a note starts its own line only if data and notes go to one file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'triad-screen-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = (name: string): number => {
    const fd = openSync(join(folder, name), 'a');
    onTestFinished(() => closeSync(fd));
    return fd;
  };
  const notes = async (errName: string): Promise<string[]> => {
    const out = Object.assign(new PassThrough(), { fd: open('out') });
    const err = Object.assign(new PassThrough(), { fd: open(errName) });
    const screen = createScreen(out, err, {}, () => undefined);
    screen.data('half');
    screen.note('note');
    screen.data(' more\n');
    screen.note('last');
    await screen.flush();
    return [String(out.read()), String(err.read())];
  };
  expect(await notes('out')).toEqual(['half more\n', '\nnote\nlast\n']);
  expect(await notes('err')).toEqual(['half more\n', 'note\nlast\n']);
});

test('holds all output while a question is on the terminal, then prints it in order', async () => {
  const { screen, text } = terminal(true);
  screen.hold();
  screen.data('a\n');
  screen.note('b');
  await screen.flush();
  expect(text()).toBe('');
  screen.release();
  screen.data('c\n');
  await screen.flush();
  expect(text()).toBe('a\nb\nc\n');
});

test('output to a pipe does not wait for a question', async () => {
  const { screen, text } = terminal(false);
  screen.hold();
  screen.data('a\n');
  await screen.flush();
  expect(text()).toBe('a\n');
});

test('reports a closed output once, and throws nothing', async () => {
  const out = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
  });
  let told = 0;
  const screen = createScreen(out, new PassThrough(), {}, () => (told += 1));
  screen.data('a\n');
  await screen.flush();
  await expect.poll(() => told).toBe(1);
  screen.data('b\n');
  await screen.flush();
  expect(told).toBe(1);
});

test('uses colour only on terminals and without NO_COLOR', () => {
  expect(terminal(true).screen.noteStyle('red', 'x')).toBe('\u001b[31mx\u001b[39m');
  for (const { screen } of [terminal(false), terminal(true, { NO_COLOR: '1' }), terminal(true, { TERM: 'dumb' })]) {
    expect(screen.noteStyle('red', 'x')).toBe('x');
  }
});
