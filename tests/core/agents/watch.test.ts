/** The topic of agents: real changes of real files are told, also in folders that come later; nothing is held afterwards. */
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AgentWatch } from '#core/agents/watch.ts';
import { eventually } from '../../support/eventually.ts';
import { startEngine } from '../../support/engine.ts';
import { Script } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';
import { inFullRun } from '../../support/samples.ts';

const AGENT = '---\nname: a\ndescription: d\n---\nP';
const watchers = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;

async function watching() {
  const folder = await folderWith({ 'src/x': '' });
  const watch = new AgentWatch((at) => [join(at, '.opencode/agent'), join(at, '.triad/agents')]);
  onTestFinished(() => watch.close());
  const changed = vi.fn();
  const end = await watch.subscribe(folder, changed);
  return {
    folder,
    watch,
    changed,
    end,
    /** Does it, and waits until it is told. */
    told: async (change: () => Promise<unknown>) => {
      changed.mockClear();
      await change();
      await eventually(() => expect(changed).toHaveBeenCalled());
    },
  };
}

test('the watch reports a new folder, and a new, changed, replaced or deleted file', async () => {
  const { folder, told } = await watching();
  const [agents, file] = [join(folder, '.triad/agents'), join(folder, '.triad/agents/a.md')];
  for (let round = 0; round < (inFullRun ? 2 : 1); round++) {
    await told(() => mkdir(agents, { recursive: true }));
    await told(() => writeFile(file, AGENT));
    await told(() => writeFile(file, AGENT.replace('P', 'Q')));
    await told(async () => {
      await writeFile(join(agents, '.a.tmp'), AGENT);
      await rename(join(agents, '.a.tmp'), file);
    });
    await told(() => rm(join(folder, '.triad'), { recursive: true }));
  }
  await told(() => mkdir(join(folder, '.opencode/agent'), { recursive: true }));
});

test('many changes at once are reported together, and changes elsewhere are not reported', async () => {
  const { folder, told, changed } = await watching();
  await writeFile(join(folder, 'src/y'), '');
  await told(async () => {
    await mkdir(join(folder, '.triad/agents'), { recursive: true });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => writeFile(join(folder, `.triad/agents/${index}.md`), AGENT)),
    );
  });
  expect(changed.mock.calls.length).toBeLessThan(20);
});

test('a linked settings folder is watched at its target, and the target of a linked agent folder is not watched', async () => {
  const [far, folder] = [await folderWith({ 'agents/a.md': AGENT }), await folderWith({ x: '' })];
  const deep = Array.from({ length: 40 }, (_, index) => [`${index}/a.md`, AGENT]);
  await symlink(far, join(folder, '.triad'));
  await mkdir(join(folder, '.claude'));
  await symlink(await folderWith(Object.fromEntries(deep) as Record<string, string>), join(folder, '.claude/agents'));
  const watch = new AgentWatch((at) => [join(at, '.claude/agents'), join(at, '.triad/agents')]);
  onTestFinished(() => watch.close());
  const [before, changed] = [watchers(), vi.fn()];
  await watch.subscribe(folder, changed);
  expect(watchers() - before).toBeLessThan(20);
  await writeFile(join(far, 'agents/b.md'), AGENT);
  await eventually(() => expect(changed).toHaveBeenCalled());
});

test('all file watchers are released when the watch closes, and a later subscription starts none', async () => {
  const before = watchers();
  const { end, folder, watch } = await watching();
  await watch.subscribe(folder, () => undefined);
  expect(watchers()).toBeGreaterThan(before);
  end();
  await watch.close();
  await eventually(() => expect(watchers()).toBe(before));
  await watch.subscribe(folder, () => undefined);
  await eventually(() => expect(watchers(), 'nobody can begin any more').toBe(before));
});

test('subscribers of a folder are notified when trust is given or revoked', async () => {
  const { runtime, folder } = await startEngine(new Script(), {
    files: { '.triad/agents/a.md': AGENT },
    data: await folderWith(),
  });
  const changed = vi.fn();
  const end = await runtime.subscribe('agents', { folder }, changed);
  onTestFinished(end);
  const told = () => eventually(() => expect(changed).toHaveBeenCalledWith({ changed: true }));
  const { files } = await runtime.request('trust.look', { folder });
  await runtime.request('trust.set', {
    folder,
    files: files.map(({ path, hash }) => ({ path, hash: hash! })),
  });
  await told();
  changed.mockClear();
  await runtime.request('trust.revoke', { folder });
  await told();
});
