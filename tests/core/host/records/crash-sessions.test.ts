/** A program that dies while a session's files are being written, and kill -9 in the full run: once the workflow goes on they are whole, and as the store makes them again. */
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { SessionProjector } from '#core/host/records/sessions/projector.ts';
import { type Life, live } from '../../../support/crash.ts';
import { threeChildren } from '../../../support/fake-model/scenarios.ts';
import { eventually } from '../../../support/eventually.ts';
import { startFakeModel } from '../../../support/fake-model/server.ts';
import { fieldsOf, filesBelow } from '../../../support/session-files.ts';
import { fullTest } from '../../../support/samples.ts';
import { folderWith } from '../../../support/workspace.ts';
import { storeAt } from '../../../support/stores/on-disk.ts';
import { Conversation } from '../../store/finished.ts';
import { openOn } from '../../store/support.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-crash-files-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

const PORTS = { settings: { sessions: { project: false } }, version: '0.0.0', onFailure: () => undefined };

/** Kills the process as soon as it has begun to write. */
function whenWriting(sessions: string): NonNullable<Life['started']> {
  return (child) => {
    const look = setInterval(() => {
      void readdir(sessions).then(
        () => child.kill('SIGKILL'),
        () => undefined,
      );
    }, 1);
    child.once('exit', () => clearInterval(look));
  };
}

test('the next program completes marked session files after a crash and replaces half-written files', async () => {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  const { store } = opened;
  const conversation = await new Conversation(store).create();
  await conversation.add({ children: [{ agent: 'reader', text: 'A report' }] });
  const projectorOn = (data: string) => new SessionProjector({ ...PORTS, store, data });
  const [living, dead, again] = [await folderWith({}), await folderWith({}), await folderWith({})];
  const first = projectorOn(living);
  onTestFinished(() => first.close());
  for (const event of conversation.recording.durable) first.observe(event);
  await eventually(async () => expect(await readdir(join(living, 'sessions-behind'))).toEqual([conversation.row.id]));
  // As a kill leaves it: marked, and nothing of it written, or the half of a file.
  await cp(join(living, 'sessions-behind'), join(dead, 'sessions-behind'), { recursive: true });
  const { folder } = await projectorOn(again).rebuild(conversation.row.id);
  const session = join(dead, 'sessions', basename(folder));
  await mkdir(session, { recursive: true });
  await writeFile(join(session, '.session.md.0123456789ab.tmp'), 'half of a');

  const next = projectorOn(dead);
  onTestFinished(() => next.close());
  await next.catchUp();
  await eventually(async () => expect(await readdir(join(dead, 'sessions-behind'))).toEqual([]));
  const written = await filesBelow(join(dead, 'sessions'));
  expect(Object.keys(written)).toHaveLength(3);
  expect(written).toEqual(await filesBelow(join(again, 'sessions')));
});

fullTest(
  'tests/core/host/records/crash-sessions.test.ts › the next program completes marked session files after a crash and replaces half-written files',
).for([
  ['after its first event', 1],
  ['among its sub-agents', 30],
  ['as soon as the first file is written', null],
  ['after its last event, before any file says so', 'workflow-end'],
] as const)(
  'a resumed workflow gets complete session files after its program is killed %s',
  { timeout: 60_000 },
  async ([, killAfter]) => {
    const model = await startFakeModel(threeChildren({ reply: { firstTokenMs: 200 } }));
    const [data, files] = [join(root, `store-${killAfter}`), join(root, `files-${killAfter}`)];
    const sessions = join(files, 'sessions');
    await mkdir(files);
    const life = { data, files, url: model.url, folder: root };
    const how = killAfter === null ? { started: whenWriting(sessions) } : { killAfter };
    expect(await live({ ...life, mode: 'start', ...how })).toBeNull();
    // What a write leaves that was cut off.
    const [before] = (await readdir(sessions).catch(() => [])).filter((name) => !name.startsWith('.'));
    if (before) await writeFile(join(sessions, before, '.session.md.0123456789ab.tmp'), 'half of a');
    await live({ ...life, mode: 'resume' });
    await model.close();
    // What the two left is caught up behind the next start; nothing waits for it.
    const store = await storeAt(data);
    const ports = { ...PORTS, store };
    await new SessionProjector({ ...ports, data: files }).catchUp();
    await eventually(async () =>
      expect(await readdir(join(files, 'sessions-behind')), 'nothing is left to do').toEqual([]),
    );

    const written = await filesBelow(sessions);
    expect(Object.keys(written).filter((name) => name.endsWith('.md'))).toHaveLength(4);
    expect(Object.keys(written)).toHaveLength(5);
    const page = Object.entries(written).find(([name]) => name.endsWith('/session.md'))?.[1];
    expect(fieldsOf(page ?? '')).toMatchObject({ status: 'completed', outcome: 'completed' });

    const again = join(root, `again-${killAfter}`);
    await mkdir(again);
    const projector = new SessionProjector({ ...ports, data: again });
    const [conversation] = (await store.conversations({ limit: 1 })).items;
    await projector.rebuild(conversation?.id ?? '');
    expect(await filesBelow(join(again, 'sessions'))).toEqual(written);
    await store.close();
  },
);
