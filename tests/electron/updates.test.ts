/** Updates, with the real updater over a feed: when they are looked for, what is taken, and that nothing is lost by one. */
import { expect, test, vi } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { updateSource } from '../../electron/desktop/update-source.ts';
import { Updates } from '../../electron/desktop/updates.ts';
import { type Feed, startFeed } from './update-feed.ts';

interface Desk {
  updates: Updates;
  /** What happened, in order. */
  done: string[];
  lines: string[];
  /** Why there was no restart, as the person was told. */
  told: string[];
  /** So many workflows run now. */
  run: (count: number) => void;
  /** The person's answers to the offers, in turn; without one they say later. */
  answers: boolean[];
  settings: { check: boolean };
  /** Null: backups work. */
  fault: { backup: string | null };
}

async function desk(feed: Feed, { running = 0, check = true, isQuiet = true } = {}): Promise<Desk> {
  const [done, lines, told, answers]: [string[], string[], string[], boolean[]] = [[], [], [], []];
  const settings = { check };
  const fault: Desk['fault'] = { backup: null };
  let tell: (state: object) => void = () => undefined;
  const state = (count: number) => ({ questions: [], asleep: [], running: Array.from({ length: count }, () => ({})) });
  const client = {
    request: async () => [{ path: 'updates.check', value: settings.check }],
    subscribe: async (_topic: string, _input: object, listener: typeof tell) => {
      tell = listener;
      tell(state(running));
    },
  } as unknown as Client;
  const updates = new Updates({
    source: updateSource(feed.load, isQuiet),
    backUp: async () => {
      if (fault.backup !== null) throw new Error(fault.backup);
      done.push('backup');
    },
    offer: async (version) => {
      done.push(`offered ${version}`);
      return answers.shift() ?? false;
    },
    quit: () => void done.push('quit'),
    refused: (why, reason) => void told.push(`${why} ${reason}`.trim()),
    report: (line) => void lines.push(line),
  });
  const desk = { updates, done, lines, told, run: (count: number) => tell(state(count)), answers, settings, fault };
  await updates.follow(client);
  return desk;
}

/** As `quitOrderly` does it. */
async function quit({ updates }: Desk): Promise<boolean> {
  await updates.prepareToQuit();
  return updates.leave();
}

test('offers a ready update once, and installs it at a quit after a backup', async () => {
  const feed = await startFeed();
  const at = await desk(feed);
  expect(at.done).toEqual(['offered 1.3.0']);
  expect(await feed.appNow(), 'nothing by itself').toBe('the old app');
  expect(await at.updates.look()).toBe('ready');
  expect(at.done, 'not again').toEqual(['offered 1.3.0']);
  expect(await quit(at)).toBe(true);
  expect([await feed.appNow(), await feed.started()]).toEqual(['new', 'started true']);
  expect(at.done).toEqual(['offered 1.3.0', 'backup']);
  expect(new Set(feed.headers.map((sent) => sent['x-user-staging-id']).filter(Boolean))).toEqual(
    new Set(['00000000-0000-0000-0000-000000000000']),
  );
});

test('a restart requested by the user makes the backup first, and starts the app again', async () => {
  const feed = await startFeed();
  const at = await desk(feed, { running: 1, isQuiet: false });
  expect(at.done, 'not while something works').toEqual([]);
  at.answers.push(true);
  at.run(0);
  await vi.waitFor(() => expect(at.done).toEqual(['offered 1.3.0', 'backup', 'quit']));
  expect(await quit(at)).toBe(true);
  await vi.waitFor(async () => expect(await feed.started()).toBe('started again'));
  expect(at.done, 'one backup').toEqual(['offered 1.3.0', 'backup', 'quit']);
});

test('two requests to restart make one backup and one quit, and a later request only quits again', async () => {
  const feed = await startFeed();
  const at = await desk(feed);
  await Promise.all([at.updates.restart(), at.updates.restart()]);
  expect(at.done).toEqual(['offered 1.3.0', 'backup', 'quit']);
  await at.updates.restart();
  expect(at.done).toEqual(['offered 1.3.0', 'backup', 'quit', 'quit']);
});

test('a restart that is not possible is reported once, with its reason', async () => {
  const feed = await startFeed();
  const at = await desk(feed);
  at.run(1);
  await Promise.all([at.updates.restart(), at.updates.restart()]);
  expect(at.told).toEqual(['busy']);
  at.run(0);
  at.settings.check = false;
  await at.updates.restart();
  at.settings.check = true;
  at.fault.backup = 'There is no room\nfor it';
  await at.updates.restart();
  expect(at.told).toEqual(['busy', 'off', 'backup There is no room']);
  at.fault.backup = null;
  await at.updates.restart();
  const updater = (await feed.load.mock.results[0]!.value) as { quitAndInstall: () => void };
  updater.quitAndInstall = () => {
    throw new Error('refused');
  };
  expect([at.updates.leave(), at.told.at(-1)]).toEqual([false, 'install']);
});

test('a requested restart is cancelled when a workflow starts', async () => {
  const feed = await startFeed();
  const at = await desk(feed);
  await at.updates.restart();
  expect(at.done.slice(-2)).toEqual(['backup', 'quit']);
  // The person stayed after all.
  at.run(1);
  expect(await quit(at)).toBe(false);
  expect(await feed.appNow()).toBe('the old app');
});

test('installs nothing while a workflow runs, even after a request to restart', async () => {
  const feed = await startFeed();
  const at = await desk(feed);
  at.run(1);
  await at.updates.restart();
  expect(await quit(at)).toBe(false);
  expect(at.done).toEqual(['offered 1.3.0']);
  at.run(0);
  await vi.waitFor(() => expect(at.done, 'asked again').toEqual(['offered 1.3.0', 'offered 1.3.0']));
  expect(await feed.appNow()).toBe('the old app');
});

test('work that starts during the backup postpones the update', async () => {
  const feed = await startFeed();
  const at = await desk(feed);
  const quitting = at.updates.prepareToQuit();
  at.run(1);
  await quitting;
  expect([at.updates.leave(), await feed.appNow()]).toEqual([false, 'the old app']);
});

test('installs nothing without a backup, and reports that in one line', async () => {
  const feed = await startFeed();
  const at = await desk(feed);
  at.fault.backup = 'There is no room\nfor it';
  await at.updates.restart();
  expect(await quit(at)).toBe(false);
  expect(at.done).toEqual(['offered 1.3.0']);
  const line = 'The update was not put in place, because there is no backup: There is no room';
  expect(at.lines).toEqual([line, line]);
  expect(await feed.appNow()).toBe('the old app');
});

test('turned off, the updater makes no request; turned off later, nothing is installed', async () => {
  const off = await startFeed();
  const at = await desk(off, { check: false });
  expect([await at.updates.look(), off.asked]).toEqual(['off', []]);
  expect(off.load, 'it takes a while').not.toHaveBeenCalled();
  await at.updates.follow(null);
  expect([await at.updates.look(), off.asked], 'without a runtime nobody knows').toEqual(['failed', []]);
  const feed = await startFeed();
  const later = await desk(feed);
  later.settings.check = false;
  expect([await quit(later), later.done]).toEqual([false, ['offered 1.3.0']]);
});

test('a quit alone installs nothing where the system asks for a password', async () => {
  const feed = await startFeed();
  const at = await desk(feed, { isQuiet: false });
  expect([await quit(at), at.done]).toEqual([false, ['offered 1.3.0']]);
});

test('build metadata with a hyphen does not make a version a pre-release', async () => {
  const at = await desk(await startFeed({ version: '1.3.0+a-b' }));
  expect(at.done).toEqual(['offered 1.3.0+a-b']);
});

test.each(['2.0.0-beta.1+a', '1.2.0', '1.1.9', '2.0.0-beta.1'])('%s is no update', async (version) => {
  const feed = await startFeed({ version });
  const at = await desk(feed);
  expect([await at.updates.look(), at.done, at.lines]).toEqual(['none', [], []]);
  expect(feed.asked.filter((name) => !name.startsWith('latest-linux'))).toEqual([]);
});

test.each([
  ['nothing', { notes: '' }],
  ['no feed', { notes: '<html>Sign in</html>' }],
  ['no version', { notes: 'version: soon\nfiles: []\n' }],
  ['another file', { served: 'something else' }],
  ['no file', { served: '' }],
])('a feed with %s is reported in one line, and changes nothing', async (_what, offer) => {
  const feed = await startFeed(offer);
  const at = await desk(feed);
  expect(at.lines).toEqual([expect.stringMatching(/^No update: .+$/)]);
  expect([at.done, await quit(at), await feed.appNow()]).toEqual([[], false, 'the old app']);
});
