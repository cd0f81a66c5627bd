/** Calls to a client that lends something end once, each in its own way. */
import { expect, test } from 'vitest';
import type { LentCall } from '#contract/hosts/lent.ts';
import { Stopped } from '#core/base/stop.ts';
import { MAX_LENT_BYTES, shownInEditor } from '#core/workspace/lent/editor.ts';
import { Lenders } from '#core/workspace/lent/lenders.ts';

const READING = { files: { read: true, write: false }, terminal: false };
const never = new AbortController().signal;

function lending() {
  const lenders = new Lenders();
  const calls: LentCall[] = [];
  const leave = lenders.lend('c', READING, (call) => calls.push(call));
  const read = (options: { signal?: AbortSignal; ms?: number } = {}) =>
    lenders.of('c', 'read')!.call('read-file', { path: '/a' }, { signal: never, ms: 60_000, ...options });
  return { lenders, calls, leave, read };
}

test('accepts only the first answer to a call', async () => {
  const { lenders, calls, read } = lending();
  const reading = read();
  const { id } = calls[0]!;
  expect(lenders.answer(id, { ok: true, value: { text: 'first' } })).toBe(true);
  expect(lenders.answer(id, { ok: true, value: { text: 'second' } })).toBe(false);
  expect(await reading).toEqual({ text: 'first' });
});

test('a call ends without an answer in time, with an invalid answer, or when it is aborted', async () => {
  const { lenders, calls, read } = lending();
  await expect(read({ ms: 5 })).rejects.toMatchObject({ code: 'unreachable' });
  expect(lenders.answer(calls[0]!.id, { ok: true, value: { text: 'late' } })).toBe(false);
  const wrong = read();
  lenders.answer(calls[1]!.id, { ok: true, value: { text: 7 } });
  await expect(wrong).rejects.toMatchObject({ code: 'unreachable' });
  const stop = new AbortController();
  const stopped = read({ signal: stop.signal });
  stop.abort(new Stopped('user'));
  await expect(stopped).rejects.toMatchObject({ kind: 'user' });
  expect(lenders.answer(calls[2]!.id, { ok: true, value: { text: 'late' } })).toBe(false);
});

test('calls go to the newest client that provides the function and end when that client disconnects', async () => {
  const { lenders, calls, leave, read } = lending();
  const others: LentCall[] = [];
  const leaveOther = lenders.lend('c', READING, (call) => others.push(call));
  lenders.lend('c', { files: { read: false, write: false }, terminal: true }, () => undefined);
  lenders.lend('d', READING, () => undefined);
  const reading = read();
  expect([calls.length, others.length]).toEqual([0, 1]);
  leaveOther();
  await expect(reading).rejects.toMatchObject({ code: 'disconnected' });
  const known = lenders.of('c', 'read')!;
  leave();
  expect(lenders.of('c', 'read')).toBeNull();
  expect(lenders.of('c', 'write')).toBeNull();
  expect(known.gone.aborted).toBe(true);
  await expect(known.call('read-file', { path: '/a' }, { signal: never, ms: 1 })).rejects.toMatchObject({
    code: 'disconnected',
  });
  expect(calls).toEqual([]);
});

test('an unsaved text that is too large is an error that asks the person to save', async () => {
  const { lenders, calls } = lending();
  const disk = Buffer.from('saved');
  const shown = shownInEditor((kind) => lenders.of('c', kind), { path: '/a', disk }, never);
  lenders.answer(calls[0]!.id, { ok: true, value: { text: 'x'.repeat(MAX_LENT_BYTES + 1) } });
  await expect(shown).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('save it') as string,
  });
});
