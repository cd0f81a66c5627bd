// Nothing is loaded while it is closed, one thing is done at a time, and what came of it is told in one line.
import { describe, expect, it } from 'vitest';
import type { UndoneFile } from '#contract/change.ts';
import { Changes } from '#lib/changes/changes.svelte.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { conversationId } from '../../support/recording.ts';
import { changeRow, fileState } from '../support/change-rows.ts';

const ROWS = [changeRow('lead', 'one', [['a.txt', null, fileState('a')]])];
const TARGET = { runId: 'lead' };

function setup(outcomes: readonly UndoneFile['outcome'][] = ['put_back']) {
  const connection = new FakeConnection()
    .on('change.list', () => ROWS)
    .on('change.undo', () => outcomes.map((outcome, n) => ({ path: `${n}.txt`, outcome })));
  const changes = new Changes(connection, conversationId);
  const methods = () => connection.calls.map(({ method }) => method);
  return { connection, changes, methods };
}

describe('loading', () => {
  it('requests the changes only while the panel is open', async () => {
    const { changes, methods } = setup();
    await changes.load();
    expect(methods()).toEqual([]);
    changes.show();
    await settled();
    expect(methods()).toEqual(['change.list']);
    expect(changes.rows).toEqual(ROWS);
    changes.close();
    await changes.load();
    expect(methods()).toEqual(['change.list']);
  });

  it('loads once more after any number of load requests during a load', async () => {
    const { connection, changes, methods } = setup();
    const first = Promise.withResolvers<typeof ROWS>();
    connection.on('change.list', () => first.promise);
    changes.show();
    for (let n = 0; n < 5; n += 1) void changes.load();
    connection.on('change.list', () => []);
    first.resolve(ROWS);
    await settled();
    expect(methods()).toEqual(['change.list', 'change.list']);
    expect(changes.rows).toEqual([]);
  });

  it('keeps the loaded changes and reports the error of a failed load until a load succeeds', async () => {
    const { connection, changes } = setup();
    changes.show();
    await settled();
    connection.on('change.list', () => {
      throw new RequestError('disconnected', 'There is no connection');
    });
    await changes.load();
    expect(changes.failure?.message).toBe('There is no connection');
    expect(changes.rows).toEqual(ROWS);
    connection.on('change.list', () => ROWS);
    await changes.load();
    expect(changes.failure).toBeNull();
  });
});

it('discards the changes of a pending load after the panel is left', async () => {
  const { connection, changes, methods } = setup();
  const late = Promise.withResolvers<typeof ROWS>();
  connection.on('change.list', () => late.promise);
  changes.lookedAt = TARGET;
  changes.show();
  changes.lookAway();
  late.resolve(ROWS);
  await settled();
  expect([changes.rows, changes.lookedAt]).toEqual([null, null]);
  await changes.undo(TARGET);
  expect(methods(), 'an undo loads nothing then').toEqual(['change.list', 'change.undo']);
  expect(changes.report).toMatchObject({ plain: true, left: false });
});

describe('undoing', () => {
  it('reports how many files had each result, offers a redo, and loads the changes again', async () => {
    const { connection, changes, methods } = setup(['put_back', 'put_back', 'merged', 'conflict', 'already']);
    changes.show();
    await settled();
    await changes.undo(TARGET, { leave: true });
    expect(changes.report).toEqual({
      sentence:
        'Undone: 2 files as they were before, 1 file merged with what came since, 1 file left as it is, 1 file was so already.',
      failed: false,
      redo: TARGET,
      plain: false,
      left: true,
    });
    expect(connection.calls[1]?.input).toMatchObject({ target: TARGET, redo: false, leave: true });
    expect(methods()).toEqual(['change.list', 'change.undo', 'change.list']);
    await changes.undo(TARGET, { redo: true });
    expect(connection.calls[3]?.input).toMatchObject({ redo: true, leave: false });
    expect(changes.report?.sentence).toMatch(/^Done again: 2 files as they were before the undo/);
    expect(changes.report?.redo).toBeNull();
    expect(changes.report?.plain, 'not all of it').toBe(false);
  });

  it('names the part of a file that was undone or redone', async () => {
    const { changes } = setup();
    const part = { ...TARGET, toolCallId: 'one', path: 'a.txt', hunk: 1 };
    await changes.undo(part);
    expect(changes.report).toMatchObject({ sentence: 'Undone: part 2 of a.txt.', redo: part });
    await changes.undo(part, { redo: true });
    expect(changes.report?.sentence).toBe('Done again: part 2 of a.txt.');
  });

  it('offers no redo if the undo changed nothing', async () => {
    const { changes } = setup(['already']);
    await changes.undo(TARGET);
    expect(changes.report).toMatchObject({ sentence: 'It is undone already: nothing was changed.', redo: null });
    const left = setup(['conflict', 'already']).changes;
    await left.undo(TARGET, { leave: true });
    expect(left.report?.sentence).toBe('Nothing was undone: 1 file left as it is, 1 file was so already.');
  });

  it('reports the message of a conflict', async () => {
    const { connection, changes } = setup();
    connection.on('change.undo', () => {
      throw new RequestError('conflict', 'a.txt: it was removed since. Nothing was undone');
    });
    await changes.undo(TARGET);
    expect(changes.report).toEqual({
      sentence: 'a.txt: it was removed since. Nothing was undone',
      failed: true,
      redo: null,
    });
    expect(changes.busy).toBe(false);
  });

  it('ignores a second undo while the first runs', async () => {
    const { changes, methods } = setup();
    await Promise.all([changes.undo(TARGET), changes.undo(TARGET)]);
    expect(methods()).toEqual(['change.undo']);
  });
});

it('reports the short name of a commit, and rejects a failed commit', async () => {
  const { connection, changes } = setup();
  connection.on('change.commit', ({ paths, programs }) => ({ commit: `abc${paths.length}-${programs}` }));
  await changes.commit(['a.txt', 'b.txt'], 'Write both', 'hash');
  expect(changes.report?.sentence).toBe('Committed 2 files as abc2-hash.');
  connection.on('change.commit', () => {
    throw new RequestError('bad_input', '/project is in no git repository');
  });
  await expect(changes.commit(['a.txt'], 'Write', 'hash')).rejects.toThrow('is in no git repository');
});
