/** A conversation of two messages, of which the first changed files in every way that an undo restores. */
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileChange } from '#contract/change.ts';
import { Changes } from '#core/workspace/changes.ts';
import { readState, stateOf } from '#core/workspace/file-state.ts';
import type { Harness, Start } from '../../../support/engine.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { workspaceIn } from '../../../support/workspace.ts';

/**
 * Paths that the first message changes:
 * - text and mode of a file, and the target of a link;
 * - a file that becomes a folder, and an empty folder that becomes a file;
 * - new files in new folders and in an empty folder;
 * - a deleted file in a folder that stays empty.
 */
const PATHS = [
  'text.txt',
  'link',
  'thing',
  'thing/inner.txt',
  'new/deep/made.txt',
  'hollow',
  'left/gone.txt',
  'filled',
  'filled/in.txt',
];

async function put(folder: string, path: string, content: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await rm(join(folder, path), { recursive: true, force: true });
  await writeFile(join(folder, path), content);
  await chmod(join(folder, path), mode);
}

async function makeBefore(folder: string, many: number): Promise<void> {
  await put(folder, 'text.txt', 'before\n', 0o640);
  await symlink('text.txt', join(folder, 'link'));
  await put(folder, 'thing', 'a file\n');
  await put(folder, 'left/gone.txt', 'deleted\n', 0o600);
  await mkdir(join(folder, 'hollow'));
  await chmod(join(folder, 'hollow'), 0o775);
  await mkdir(join(folder, 'filled'), { mode: 0o700 });
  for (let n = 0; n < many; n += 3) {
    await put(folder, `many/${n}/old.txt`, `deleted ${n}\n`);
    await put(folder, `many/${n}/text.txt`, `before ${n}\n`, 0o750);
  }
}

async function makeAfter(folder: string, many: number): Promise<void> {
  await put(folder, 'text.txt', 'after\n', 0o600);
  await rm(join(folder, 'link'));
  await symlink('thing/inner.txt', join(folder, 'link'));
  await rm(join(folder, 'thing'));
  await put(folder, 'thing/inner.txt', 'in a folder now\n');
  await chmod(join(folder, 'thing'), 0o711);
  await put(folder, 'new/deep/made.txt', 'made\n');
  await chmod(join(folder, 'new'), 0o750);
  await put(folder, 'hollow', 'not a folder\n');
  await rm(join(folder, 'left/gone.txt'));
  await put(folder, 'filled/in.txt', 'not empty\n');
  for (let n = 0; n < many; n += 3) {
    await rm(join(folder, `many/${n}/old.txt`));
    await put(folder, `many/${n}/text.txt`, `after ${n}\n`, 0o640);
    await symlink('text.txt', join(folder, `many/${n}/link`));
  }
}

const manyPaths = (many: number): string[] =>
  Array.from({ length: Math.ceil(many / 3) }, (_, index) =>
    ['old.txt', 'text.txt', 'link'].map((name) => `many/${3 * index}/${name}`),
  ).flat();

/** All that is in a folder by path, with all modes, those of folders too. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const entries = names.sort().map(async (name): Promise<[string, string]> => {
    const path = join(folder, name);
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return [name, `link ${await readlink(path)}`];
    const mode = (stats.mode & 0o777).toString(8);
    return [name, stats.isDirectory() ? `folder ${mode}` : `file ${mode} ${await readFile(path, 'latin1')}`];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** `many`: number of further files that the first message changes. */
export async function changedWorkspace(
  start: Start,
  { many = 0, store }: { many?: number; store?: Harness['store'] } = {},
) {
  const script = new Script()
    .on({ asked: /^First/, step: 1 })
    .reply([toolUse('write_file', { path: 'first.txt', content: 'first\n' })])
    .on({})
    .reply([text('Done.')]);
  const engine = await start(script, { files: {}, ...(store ? { store } : {}) });
  const { folder, conversationId, runtime } = engine;
  const { workflowId, runId } = await engine.ask('First');
  const paths = [...PATHS, ...manyPaths(many)];
  const workspace = workspaceIn(folder);
  const read = () => Promise.all(paths.map((path) => readState(workspace, path)));
  await makeBefore(folder, many);
  const before = await read();
  await makeAfter(folder, many);
  const after = await read();
  const changes = new Changes(`${folder}-replaced`);
  const { sets } = await changes.of(conversationId);
  const files: FileChange[] = paths.map((path, index) => ({
    path,
    before: stateOf(before[index] ?? null),
    after: stateOf(after[index] ?? null),
  }));
  const bytes = [...before, ...after].flatMap((state) => (state ? [state.bytes] : []));
  const [set] = sets;
  if (!set) throw new Error('the call changed nothing');
  await changes.keep({ ...set, files: [...set.files, ...files] }, bytes);
  await engine.ask('Second');
  const target = { fromWorkflowId: workflowId };
  return {
    engine,
    runtime,
    folder,
    conversationId,
    workflowId,
    runId,
    target,
    folders: [folder, `${folder}-replaced`],
    undo: (client: Pick<Harness['runtime'], 'request'>, redo = false) =>
      client.request('change.undo', { conversationId, target, redo }),
    rewind: (client: Pick<Harness['runtime'], 'request'>) =>
      client.request('conversation.rewind', { conversationId, workflowId }),
  };
}

export type ChangedWorkspace = Awaited<ReturnType<typeof changedWorkspace>>;
