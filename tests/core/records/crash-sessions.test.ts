/** Kill -9 while a session's files are being written: once the workflow goes on they are whole, and as the store makes them again. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SessionProjector } from '#core/records/sessions/projector.ts';
import { openStore } from '#core/store/surreal.ts';
import { type Life, live } from '../../support/crash.ts';
import { threeChildren } from '../../support/fake-model/scenarios.ts';
import { eventually } from '../../support/eventually.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';
import { fieldsOf, filesBelow } from '../../support/session-files.ts';
import { inSoak } from '../../support/samples.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-crash-files-'));
afterAll(() => rm(root, { recursive: true, force: true }));

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

/** Before files matter; other files kill there too. */
const EARLY = [
  ['after its first event', 1],
  ['among its sub-agents', 30],
  ['as soon as the first file is written', null],
] as const;

test.for([...(inSoak ? EARLY : []), ['after its last event, before any file says so', 'workflow-end']] as const)(
  'killed %s',
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
    // Of a workflow that has ended only its files are left to do.
    if (inSoak || killAfter !== 'workflow-end') await live({ ...life, mode: 'resume' });
    await model.close();
    // What the two left is caught up behind the next start; nothing waits for it.
    const store = await openStore({ url: `rocksdb://${data}` });
    const settings = { sessions: { project: false } };
    const ports = { store, settings, version: '0.0.0', onFailure: () => undefined };
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
