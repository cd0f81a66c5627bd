// Finished calls stand together in one line that keeps its place; what failed, waits, changed something or was decided does not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callsHave, countsOf, isQuiet, itemsOf, showsChange } from '#lib/view/folds.ts';
import { pieceOf } from '#lib/view/stage.ts';
import type { Block, Call } from '#lib/view/transcript.ts';
import { foldedCalls } from '#lib/words/fold-words.ts';

function call(id: string, name = 'read_file', more: Partial<Call> = {}, metadata: Record<string, unknown> = {}): Call {
  const result: Call['result'] = {
    kind: 'tool',
    n: 1,
    at: '2026-01-02T03:04:05.000Z',
    toolCallId: id,
    name,
    status: 'completed',
    output: 'Done.',
    durationMs: 5,
    metadata,
  };
  const own = { id, name, input: { path: `${id}.ts` }, draft: null, state: 'completed' as const };
  return { ...own, startedAt: null, result, children: [], change: null, allowedBy: null, ...more };
}
const block = (one: Call): Block => ({ kind: 'call', key: `key-${one.id}`, call: one });
const words = (key: string): Block => ({ kind: 'text', key, text: 'Words.', open: false, by: null });
const never = () => false;
const shape = (blocks: readonly Block[], holds: (id: string) => boolean = never) =>
  itemsOf(blocks.map(pieceOf), holds).map((item) =>
    item.kind === 'fold' ? [item.key, item.at, item.blocks.map(({ call: { id } }) => id)] : [item.key, item.at],
  );

describe('itemsOf', () => {
  it('folds two or more calls in a row, and keeps its key while calls are added', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => block(call(id)));
    expect(shape([a!])).toEqual([['key-a', 0]]);
    expect(shape([words('w'), a!, b!])).toEqual([
      ['w', 0],
      ['fold-key-a', 1, ['a', 'b']],
    ]);
    expect(shape([words('w'), a!, b!, c!, words('v')])).toEqual([
      ['w', 0],
      ['fold-key-a', 1, ['a', 'b', 'c']],
      ['v', 4],
    ]);
  });

  it('leaves a viewed call out of a fold', () => {
    const blocks = ['a', 'b', 'c'].map((id) => block(call(id)));
    expect(shape(blocks, (id) => id === 'c')).toEqual([
      ['fold-key-a', 0, ['a', 'b']],
      ['key-c', 2],
    ]);
  });

  it('contains every block once, in order', () => {
    const any = fc.constantFrom('quiet', 'failed', 'words').map((kind) => kind);
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (kinds) => {
        const blocks = kinds.map((kind, at) => {
          if (kind === 'words') return words(`w${at}`);
          return block(call(`c${at}`, 'grep', kind === 'failed' ? { state: 'error' } : {}));
        });
        const items = itemsOf(blocks.map(pieceOf), never);
        const inItems = items.map((item) => {
          if (item.kind === 'stage') throw new Error('Nobody was started');
          return item.kind === 'fold' ? [...item.blocks] : [item.block];
        });
        expect(inItems.flat()).toEqual(blocks);
        expect(items.map(({ length }) => length)).toEqual(inItems.map(({ length }) => length));
        expect(inItems.map(([first]) => first)).toEqual(items.map(({ at }) => blocks[at]));
        expect(items.every((item) => item.kind === 'block' || item.length > 1)).toBe(true);
      }),
    );
  });
});

it.each([
  ['finished', call('a'), true],
  ['runs', call('a', 'bash', { state: 'running', result: null }), false],
  ['waits', call('a', 'bash', { state: 'waiting', result: null }), false],
  ['failed', call('a', 'bash', { state: 'error' }), false],
  ['was refused', call('a', 'bash', {}, { refused: true }), false],
  ['a command that failed', call('a', 'bash', {}, { exitCode: 1 }), false],
  ['a command that ended well', call('a', 'bash', {}, { exitCode: 0 }), true],
  ['changed a file', call('a', 'edit_file', { change: 'done' }, { diff: '+ 1' }), false],
  ['was taken over with its change', call('a', 'edit_file', {}, { diff: '+ 1', taken: true }), false],
  ['the person decided', call('a', 'ask_question', {}, { decided: 'Yes' }), false],
  ['its answer', call('a', 'task_complete', {}, { answer: 'Done.' }), false],
])('isQuiet of a call (%s) is %o', (_what, one, quiet) => {
  expect(isQuiet(one)).toBe(quiet);
});

it('shows a change unless it is long, failed or was refused', () => {
  expect(showsChange(call('a', 'edit_file', {}, { diff: '+ 1' }))).toBe(true);
  expect(showsChange(call('a', 'edit_file', {}, { diff: '+ 1', refused: true }))).toBe(false);
  expect(showsChange(call('a', 'edit_file', {}, { diff: '+'.repeat(20_000) }))).toBe(false);
  expect(showsChange(call('a', 'edit_file', { state: 'error' }, { diff: '+ 1' }))).toBe(false);
  expect(showsChange(call('a'))).toBe(false);
});

it('the fold line counts actions by kind, and each file once', () => {
  const calls = [
    ...[call('a'), call('b'), call('b2', 'read_file', { input: { path: 'a.ts' } })],
    ...[call('c', 'grep'), call('d', 'glob'), call('e', 'bash'), call('f', 'mcp__github__issues')],
    ...[call('g', 'todo_write'), call('h', 'unheard_of')],
  ];
  expect(foldedCalls(countsOf(calls))).toBe(
    'Looked at 2 files, searched twice, ran 1 command, updated its plan, asked MCP servers once, made 1 other call',
  );
});

it('callsHave searches the titles and paths of folded calls', () => {
  const calls = [call('Parser'), call('f', 'mcp__github__issues')];
  expect(callsHave(calls, 'parser.ts')).toBe(true);
  expect(callsHave(calls, 'github · issues')).toBe(true);
  expect(callsHave(calls, 'lexer')).toBe(false);
});
