/** Many sessions at once: nobody waits for their Markdown, the newest comes first, and what is left is caught up later. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { folderNameOf } from '#core/host/records/sessions/names.ts';
import { SessionProjector } from '#core/host/records/sessions/projector.ts';
import { eventually } from '../../../../support/eventually.ts';
import { filesBelow } from '../../../../support/session-files.ts';
import { folderWith } from '../../../../support/workspace.ts';
import { Conversation } from '../../../store/finished.ts';
import { openOn } from '../../../store/support.ts';
import { fullTest } from '../../../../support/samples.ts';

const SESSIONS = 60;

fullTest([
  'tests/core/host/records/sessions.test.ts › writes pending session files before the program ends',
  'tests/core/host/records/crash-sessions.test.ts › the next program completes marked session files after a crash and replaces half-written files',
])(
  'the end of the program writes only the newest session, and later starts write the rest',
  { timeout: 60_000 },
  async () => {
    const opened = await openOn('mem');
    onTestFinished(() => opened.close());
    const { store } = opened;
    const data = await folderWith({});
    const failures: unknown[] = [];
    const projectorOn = (folder: string) =>
      new SessionProjector({
        store,
        data: folder,
        version: '0.0.0',
        settings: { sessions: { project: false } },
        onFailure: (notice) => failures.push(notice),
      });
    const folders = () => readdir(join(data, 'sessions')).catch((): string[] => []);
    const behind = () => readdir(join(data, 'sessions-behind'));

    const conversations: Conversation[] = [];
    for (let index = 0; index < SESSIONS; index += 1) {
      const conversation = await new Conversation(store).create();
      await conversation.add({ prompt: `Question ${index}` });
      conversations.push(conversation);
    }
    const first = projectorOn(data);
    for (const { recording } of conversations) for (const event of recording.durable) first.observe(event);
    await first.close();
    const newest = await store.conversation(conversations.at(-1)?.row.id ?? '');
    expect(await folders()).toEqual([newest && folderNameOf(newest)]);
    expect(await behind()).toHaveLength(SESSIONS - 1);

    // A short command leaves what earlier ones have left.
    const short = projectorOn(data);
    await short.catchUp();
    await short.close();
    expect(await folders()).toHaveLength(1);

    // One that ends in the middle has begun with the newest.
    const second = projectorOn(data);
    await second.catchUp();
    await eventually(async () => expect((await folders()).length).toBeGreaterThan(3));
    const asked = await second.rebuild(conversations[0]?.row.id ?? '');
    expect(asked.files, 'what is asked for is not behind the others').toBe(2);
    expect(await behind()).not.toEqual([]);
    await second.close();
    const names = await folders();
    const written = await Promise.all(
      conversations.map(async ({ row }) => {
        const stored = await store.conversation(row.id);
        return stored !== null && names.includes(folderNameOf(stored));
      }),
    );
    // Without the first, which was asked for: no older one before a newer one.
    expect(written.slice(1).lastIndexOf(false)).toBeLessThan(written.slice(1).indexOf(true));

    const third = projectorOn(data);
    await third.catchUp();
    await eventually(async () => expect(await behind()).toEqual([]));
    const again = await folderWith({});
    const all = projectorOn(again);
    const sample = conversations.filter((_, index) => index % 10 === 0);
    for (const { row } of sample) await all.rebuild(row.id);
    expect(await filesBelow(join(data, 'sessions'))).toMatchObject(await filesBelow(join(again, 'sessions')));
    expect(await folders()).toHaveLength(SESSIONS);
    expect(failures).toEqual([]);
  },
);
