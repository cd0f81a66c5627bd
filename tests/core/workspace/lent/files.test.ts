/** File tools go through the editor of a client that lends it: unsaved texts are seen, and everything promised of files still holds. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Harness, startEngine, yes } from '../../../support/engine.ts';
import { delegateTo } from '../../../support/fake-model/scenarios.ts';
import { type Block, Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { lendTo } from '../../../support/lender.ts';
import { variations } from '../../../support/samples.ts';

const BOTH = { files: { read: true, write: true } };

function calling(...calls: Block[]): Script {
  return calls.reduce((script, call) => script.step([call]), new Script()).step([text('Done.')]);
}
const results = (engine: Harness) =>
  engine.of('tool-end').flatMap(({ entry }) => (entry.kind === 'tool' ? [entry] : []));
const read = (path: string, more = {}) => toolUse('read_file', { path, ...more });
const edit = (path: string, oldText: string, newText: string) =>
  toolUse('edit_file', { path, edits: [{ old_text: oldText, new_text: newText }] });

describe('an editor provided by the client', () => {
  test('shows its unsaved text, receives the edit, and gets the unsaved text back on undo', async () => {
    const script = calling(read('a.txt'), edit('a.txt', 'unsaved', 'agreed'));
    const engine = await startEngine(script, { files: { 'a.txt': 'one\nsaved\n' } });
    const path = join(engine.folder, 'a.txt');
    const editor = await lendTo(engine.runtime, engine.conversationId, BOTH);
    editor.buffers.set(path, 'one\nunsaved\n');
    await engine.ask('Edit');
    const [seen, edited] = results(engine);
    expect(seen).toMatchObject({ status: 'completed', output: 'one\nunsaved\n', metadata: { unsaved: true } });
    expect(edited).toMatchObject({ status: 'completed', metadata: { added: 1, removed: 1 } });
    const [asked] = engine.of('approval-request');
    expect(asked?.approval.subject).toMatchObject({ preview: { diff: expect.stringContaining('-unsaved') as string } });
    expect(await readFile(path, 'utf8')).toBe('one\nagreed\n');
    expect(editor.calls.filter(({ name }) => name === 'write-file')).toHaveLength(1);
    const { conversationId } = engine;
    const [change] = await engine.runtime.request('change.list', { conversationId });
    const { runId, toolCallId } = change!;
    const undone = { conversationId, target: { runId, toolCallId } };
    expect(await engine.runtime.request('change.undo', undone)).toMatchObject([{ outcome: 'put_back' }]);
    expect(editor.calls.at(-1)).toMatchObject({ name: 'write-file', input: { path, text: 'one\nunsaved\n' } });
  });

  test('keeps the line breaks and the byte order mark of the file on disk', async () => {
    const script = calling(read('a.txt'), edit('a.txt', 'two', 'three'));
    const engine = await startEngine(script, { files: { 'a.txt': '\uFEFFone\r\ntwo\r\n' } });
    await lendTo(engine.runtime, engine.conversationId, BOTH);
    await engine.ask('Edit');
    expect(results(engine)[0]?.metadata).not.toHaveProperty('unsaved');
    expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('\uFEFFone\r\nthree\r\n');
  });

  test('that does not save is reported in the result, and later reads return its text', async () => {
    const script = calling(
      toolUse('write_file', { path: 'sub/new.txt', content: 'new\n' }),
      edit('a.txt', 'one', 'two'),
      read('a.txt'),
    );
    const engine = await startEngine(script, { files: { 'a.txt': 'one\n' } });
    const editor = await lendTo(engine.runtime, engine.conversationId, BOTH, { saves: false });
    await engine.ask('Edit');
    expect(results(engine)[0]?.output).toContain('is not saved');
    expect(results(engine)[1]).toMatchObject({
      status: 'completed',
      output: expect.stringContaining('is not saved') as string,
    });
    expect(results(engine)[2]?.output).toBe('two\n');
    const path = join(engine.folder, 'a.txt');
    expect(await readFile(path, 'utf8')).toBe('one\n');
    // What was never saved is undone where it stands.
    const { conversationId } = engine;
    const change = (await engine.runtime.request('change.list', { conversationId })).find(({ files }) =>
      files.some((file) => file.path === 'a.txt'),
    )!;
    const target = { runId: change.runId, toolCallId: change.toolCallId };
    expect(await engine.runtime.request('change.undo', { conversationId, target })).toMatchObject([
      { outcome: 'put_back' },
    ]);
    expect(editor.buffers.get(path)).toBe('one\n');
  });

  test('is also used by sub-agents, but not by other conversations', async () => {
    const script = new Script()
      .on({ prompt: /^Look/, step: 1 })
      .reply([delegateTo('code-reviewer', 'Read a.txt')])
      .on({ prompt: /Read a.txt/, step: 1 })
      .reply([read('a.txt')])
      .on({})
      .reply([text('Done.')]);
    const engine = await startEngine(script, { files: { 'a.txt': 'saved\n' } });
    const path = join(engine.folder, 'a.txt');
    const { id: other } = await engine.runtime.request('conversation.create', {});
    const [mine, others] = [
      await lendTo(engine.runtime, engine.conversationId, BOTH),
      await lendTo(engine.runtime, other, BOTH),
    ];
    mine.buffers.set(path, 'mine\n');
    others.buffers.set(path, 'others\n');
    await engine.ask('Look');
    expect(results(engine).find(({ name }) => name === 'read_file')?.output).toBe('mine\n');
    expect(others.calls).toEqual([]);
  });

  test('gets no requests for paths outside, secret files or binary files', async () => {
    const script = calling(
      read('../outside.txt'),
      read('link.txt'),
      read('.env'),
      read('data.bin'),
      edit('.env', 'A', 'B'),
      toolUse('write_file', { path: 'link.txt', content: 'x' }),
    );
    const files = { 'data.bin': Buffer.from([1, 0, 2]), '.env': 'A=1\n' };
    const engine = await startEngine(script, { files });
    await mkdir(`${engine.folder}-outside`);
    await writeFile(`${engine.folder}-outside/a.txt`, 'outside');
    await symlink(`${engine.folder}-outside/a.txt`, join(engine.folder, 'link.txt'));
    const editor = await lendTo(engine.runtime, engine.conversationId, BOTH);
    await engine.ask('Try');
    expect(results(engine).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'error'));
    expect(editor.calls).toEqual([]);
  });

  test('rejects an edit if its text has changed since the read or during the approval', async () => {
    const script = calling(
      read('a.txt'),
      edit('a.txt', 'one', 'two'),
      read('b.txt', { limit: 1 }),
      edit('b.txt', 'two', 'three'),
      edit('c.txt', 'one', 'two'),
    );
    const engine = await startEngine(script, {
      files: { 'a.txt': 'one\n', 'b.txt': 'one\ntwo\n', 'c.txt': 'one\n' },
      person: (approval, item) => {
        if (approval.request.title.includes('c.txt')) editor.buffers.set(at('c.txt'), 'one, and more\n');
        return yes(approval, item);
      },
    });
    const at = (path: string): string => join(engine.folder, path);
    const typed = new Map([
      [at('a.txt'), 'one, and more\n'],
      [at('b.txt'), 'one\ntwo, unseen\n'],
    ]);
    const editor = await lendTo(engine.runtime, engine.conversationId, BOTH, {
      answer: ({ name, input }) => {
        const { path } = input as { path: string };
        const words = typed.get(path);
        // The person goes on typing behind the first look.
        if (name === 'read-file' && words !== undefined) setImmediate(() => editor.buffers.set(path, words));
        return null;
      },
    });
    await engine.ask('Edit');
    const [, first, , second, third] = results(engine);
    expect(first).toMatchObject({
      status: 'error',
      output: expect.stringContaining('has changed since you read it') as string,
    });
    expect(second).toMatchObject({ status: 'error' });
    expect(third).toMatchObject({ status: 'error', output: expect.stringContaining('changed') as string });
    expect(editor.calls.some(({ name }) => name === 'write-file')).toBe(false);
  });
});

describe('a client that disconnects or answers with an error', () => {
  test.for(variations(['write-file', 'read-file'] as const))(
    'during %s ends the call with an error, and later calls use the disk',
    async (name) => {
      const script = calling(name === 'read-file' ? read('a.txt') : edit('a.txt', 'one', 'two'), read('a.txt'));
      const engine = await startEngine(script, { files: { 'a.txt': 'one\n' } });
      await lendTo(engine.runtime, engine.conversationId, BOTH, {
        answer: (call, leave) => {
          if (call.name !== name) return null;
          leave();
          return 'never';
        },
      });
      await engine.ask('Go');
      const [first, second] = results(engine);
      expect(first).toMatchObject({
        status: 'error',
        output: expect.stringContaining('The client went before it had answered') as string,
      });
      if (name === 'write-file') expect(first?.output).toContain('nobody knows whether');
      // It was not written by another way, and later calls have the disk.
      expect(second).toMatchObject({ status: 'completed', output: 'one\n' });
    },
  );

  test('has its error message quoted in the result, and a second answer is ignored', async () => {
    const engine = await startEngine(calling(read('a.txt'), read('a.txt')), { files: { 'a.txt': 'one\n' } });
    const editor = await lendTo(engine.runtime, engine.conversationId, BOTH, {
      answer: () => (editor.calls.length === 1 ? { ok: false, message: 'not in this project' } : null),
    });
    await engine.ask('Go');
    expect(results(engine)[0]).toMatchObject({
      status: 'error',
      output: expect.stringContaining('not in this project') as string,
    });
    const { id } = editor.calls[0]!;
    const answer = { ok: true as const, value: { text: 'late' } };
    expect(await engine.runtime.request('lent.answer', { id, answer })).toEqual({ taken: false });
    expect(results(engine)[1]?.output).toBe('one\n');
  });
});
