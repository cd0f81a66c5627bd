/** A person's machine in small: a workspace with every kind of link out of it, and what lies outside or is hidden. */
import { open, link, mkdir, readdir, readFile, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Workspace } from '#core/workspace/reach.ts';
import { folderWith, workspaceIn } from '../../support/workspace.ts';

/** In every file and every name that no tool may show. */
export const HIDDEN = /CANARY|UNASKED/;
const BAIT = 'bait CANARY\n';
/** Outside, or in a folder of the program's own: each holds files to ask for, and one whose name is to stay unknown. */
const CLOSED = [
  ...['outside', 'outside/deep', 'ws-other', 'own', 'ws/.config/triad', 'ws/.caf\u00e9', 'ws/.triad/sessions/one'],
  'ws/p/.triad/sessions/one',
];
const SECRET = ['ws/.env', 'ws/sub/.env', 'ws/.ssh/key.txt', 'ws/.ssh/key.md', 'home/.ssh/id_ed25519', 'home/.netrc'];
/** Those that have a second name, which is another reason to refuse them. */
const TWINS = ['ws/twins/.env', 'ws/twins/sub/.env', 'ws/twins/.ssh/key.txt', 'ws/twins/.ssh/key.md'];

export interface PathField {
  root: string;
  /** The workspace. */
  ws: string;
  workspace: Workspace;
  /** Descriptors of this process that lead outside: of a folder, and of a file. */
  open: { folder: number; file: number };
}

/** `HOME` is for the caller to set. */
export async function pathField(): Promise<PathField> {
  const files = CLOSED.flatMap((folder) => ['bait.txt', 'bait.md', 'UNASKED.txt'].map((name) => `${folder}/${name}`));
  const root = await folderWith({
    ...Object.fromEntries([...files, ...SECRET, ...TWINS].map((path) => [path, BAIT])),
    'ws/plain.txt': 'bait plain\n',
    'ws/sub/plain.md': 'bait plain\n',
    'ws/swapped/bait.txt': 'bait plain\n',
    'ws/swapped/bait.md': 'bait plain\n',
    'ws/node_modules/x/index.js': '',
  });
  const ws = join(root, 'ws');
  const handles = await Promise.all(['outside', 'outside/bait.txt'].map((path) => open(join(root, path))));
  onTestFinished(async () => {
    for (const handle of handles) await handle.close();
  });
  const [folder = 0, file = 0] = handles.map(({ fd }) => fd);
  await addLinks(root, ws, { folder, file });
  const sessions = [join(ws, '.triad/sessions')];
  const own = [join(root, 'own'), join(ws, '.config/triad'), join(ws, '.caf\u00e9'), ...sessions];
  // As for a sub-agent: sessions are a lead's to read.
  return { root, ws, workspace: workspaceIn(ws, { own }), open: { folder, file } };
}

async function addLinks(root: string, ws: string, fds: PathField['open']): Promise<void> {
  const links: Record<string, string> = {
    out: join(root, 'outside'),
    'out-rel': '../outside',
    twice: 'out',
    'sub/out': '../../outside',
    up: '..',
    top: '/',
    self: '.',
    'with space': '../outside',
    '\u00fcber': '../outside',
    neighbour: '../ws-other',
    'by-name': '../ws/../outside',
    'own-name': ws,
    'by-own-name': join(ws, 'sub/out'),
    deep: '../outside/deep',
    'own-link': join(root, 'own'),
    'settings-link': '.config/triad',
    'sessions-link': '.triad/sessions/one',
    'proc-root': '/proc/self/root',
    'proc-fd': `/proc/self/fd/${fds.folder}`,
    'proc-file': `/proc/self/fd/${fds.file}`,
    'file-out.txt': join(root, 'outside/bait.txt'),
    'file-rel.txt': '../outside/bait.txt',
    'note-out.md': '../outside/bait.md',
    'file-twice.txt': 'file-out.txt',
    'sub/file-out.txt': '../../outside/bait.txt',
    'harmless.txt': '.env',
    'harmless-sub.txt': 'sub/.env',
    'harmless-key.txt': '.ssh/key.txt',
    'harmless.md': '.ssh/key.md',
    keys: '.ssh',
    'file-own.txt': join(root, 'own/bait.txt'),
    'file-session.md': '.triad/sessions/one/bait.md',
    'person-key.txt': join(root, 'home/.ssh/id_ed25519'),
    dangling: join(root, 'outside/new'),
    'dangling-rel': '../outside/new',
    'dangling-twice': 'dangling',
    'sub/dangling': '../../outside/new',
    nowhere: join(root, 'outside/none'),
    'loop-a': 'loop-b',
    'loop-b': 'loop-a',
    'loop-self': 'loop-self',
    'loop-deep': 'loop-deep/x',
    ...Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`chain-${n}`, n === 29 ? '../outside' : `chain-${n + 1}`]),
    ),
  };
  for (const [path, target] of Object.entries(links)) await symlink(target, join(ws, path));
  const twins: Record<string, string> = {
    'hard-env.txt': 'ws/twins/.env',
    'sub/hard-env.txt': 'ws/twins/sub/.env',
    'hard-key.txt': 'ws/twins/.ssh/key.txt',
    'hard.md': 'ws/twins/.ssh/key.md',
    'hard-own.txt': 'own/bait.txt',
    'hard-own.md': 'own/bait.md',
    'hard-session.txt': 'ws/.triad/sessions/one/bait.txt',
    'hard-person.txt': 'home/.ssh/id_ed25519',
    'hard-netrc.txt': 'home/.netrc',
    'node_modules/x/hard.txt': 'ws/twins/.env',
    'hard-out.txt': 'outside/bait.txt',
  };
  for (const [path, target] of Object.entries(twins)) await link(join(root, target), join(ws, path));
}

/** All that must stay as it is, with contents and permissions: of what is outside, of what is closed, and of secret files. */
export async function hiddenState({ root }: PathField): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  const add = async (path: string): Promise<void> => {
    const stats = await stat(path);
    state[path] = `${stats.mode} ${stats.ino} ${stats.isFile() ? await readFile(path, 'utf8') : ''}`;
    if (stats.isDirectory()) for (const name of (await readdir(path)).sort()) await add(join(path, name));
  };
  for (const path of ['outside', 'ws-other', 'own', 'home', ...CLOSED, ...SECRET, ...TWINS])
    await add(join(root, path));
  state['root'] = (await readdir(root)).sort().join();
  return state;
}

/** What a program without confinement would do with a path: whether it reads a file that is hidden. */
export async function reads({ ws }: PathField, path: string): Promise<boolean> {
  return readFile(asGiven(ws, path), 'utf8').then(
    (text) => HIDDEN.test(text),
    () => false,
  );
}

/** The same of a new file: whether one is made outside. Leaves none. */
export async function makes(
  { ws, root }: PathField,
  path: string,
  undo: (path: string) => Promise<void>,
): Promise<boolean> {
  const full = asGiven(ws, path);
  await mkdir(dirname(full), { recursive: true }).catch(() => undefined);
  if (
    !(await writeFile(full, 'new').then(
      () => true,
      () => false,
    ))
  )
    return false;
  const made = await realpath(full);
  await undo(made);
  return !made.startsWith(`${ws}/`) && made.startsWith(`${root}/`);
}

/** Not normalized, as `join` would: the system is to follow every part of it. */
const asGiven = (ws: string, path: string): string => (path.startsWith('/') ? path : `${ws}/${path}`);
