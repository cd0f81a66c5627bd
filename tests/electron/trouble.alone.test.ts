/** A window that hangs or dies again asks: Relaunch, Export logs, Keep waiting; electron's part is played here. */
import { EventEmitter } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { folderWith } from '../support/workspace.ts';

interface Box {
  message: string;
  buttons: string[];
  defaultId: number;
  cancelId: number;
  signal: AbortSignal;
}
const desk = vi.hoisted(() => ({
  boxes: [] as Box[],
  answer: null as ((response: number) => void) | null,
  saveTo: '',
  errors: [] as string[],
}));
vi.mock('electron', () => ({
  BrowserWindow: { fromWebContents: () => ({}) },
  dialog: {
    showMessageBox: (_window: object, options: Box) => {
      desk.boxes.push(options);
      return new Promise((resolve) => {
        desk.answer = (response) => resolve({ response });
        options.signal.addEventListener('abort', () => resolve({ response: options.cancelId }));
      });
    },
    showSaveDialog: async () => ({ canceled: desk.saveTo === '', filePath: desk.saveTo }),
    showErrorBox: (title: string) => void desk.errors.push(title),
  },
}));
const { followTroubles } = await import('../../electron/desktop/trouble.ts');

class Page extends EventEmitter {
  reloads = 0;
  ends = 0;
  reload = () => void (this.reloads += 1);
  forcefullyCrashRenderer(): void {
    this.ends += 1;
    this.dies('killed');
  }
  dies(reason = 'crashed'): void {
    this.emit('render-process-gone', {}, { reason, exitCode: 1 });
  }
}

beforeEach(() => void Object.assign(desk, { boxes: [], answer: null, saveTo: '', errors: [] }));

function page() {
  const lines: string[] = [];
  const contents = new Page();
  followTroubles(contents as never, { report: (line) => lines.push(line), log: async () => 'what was kept\n' });
  return { contents, lines };
}
const boxes = (count: number) => vi.waitFor(() => expect(desk.boxes).toHaveLength(count));

test('asks once about a page that hangs, and withdraws the question when the page responds', async () => {
  const { contents } = page();
  contents.emit('unresponsive');
  contents.emit('unresponsive');
  await boxes(1);
  expect(desk.boxes[0]).toMatchObject({
    message: 'This window does not react',
    buttons: ['Relaunch', 'Export logs…', 'Keep waiting'],
    defaultId: 2,
    cancelId: 2,
  });
  contents.emit('responsive');
  expect(desk.boxes[0]?.signal.aborted).toBe(true);
  await Promise.resolve();
  expect([contents.ends, contents.reloads]).toEqual([0, 0]);
  contents.emit('unresponsive');
  await boxes(2);
});

test('Relaunch ends the process of the page and reloads it once; Keep waiting does nothing', async () => {
  const { contents } = page();
  contents.emit('unresponsive');
  await boxes(1);
  desk.answer?.(2);
  await new Promise(setImmediate);
  expect([contents.ends, contents.reloads]).toEqual([0, 0]);
  contents.emit('unresponsive');
  await boxes(2);
  desk.answer?.(0);
  await vi.waitFor(() => expect([contents.ends, contents.reloads]).toEqual([1, 1]));
});

test('a page that crashes is reloaded; a second crash asks first', async () => {
  const { contents, lines } = page();
  contents.dies('clean-exit');
  expect(contents.reloads).toBe(0);
  contents.dies();
  expect([contents.reloads, desk.boxes.length]).toEqual([1, 0]);
  contents.dies('oom');
  await boxes(1);
  expect(desk.boxes[0]?.message).toBe('This window stopped working again');
  expect(contents.reloads).toBe(1);
  expect(lines).toEqual(['the page of a window has died: crashed, 1', 'the page of a window has died: oom, 1']);
  desk.answer?.(0);
  await vi.waitFor(() => expect(contents.reloads).toBe(2));
});

test('exports the log to the chosen file, readable by the user only, and keeps the question open', async () => {
  const folder = await folderWith();
  const { contents, lines } = page();
  contents.emit('unresponsive');
  await boxes(1);
  desk.answer?.(1);
  await boxes(2);
  desk.saveTo = join(folder, 'mine.log');
  desk.answer?.(1);
  await boxes(3);
  expect(await readFile(desk.saveTo, 'utf8')).toBe('what was kept\n');
  expect((await stat(desk.saveTo)).mode & 0o777).toBe(0o600);
  desk.saveTo = join(folder, 'nowhere', 'mine.log');
  desk.answer?.(1);
  await boxes(4);
  expect(desk.errors).toEqual(['The log could not be written']);
  expect(lines.at(-1)).toContain('the log could not be written');
  contents.emit('destroyed');
  expect(desk.boxes[3]?.signal.aborted).toBe(true);
});
