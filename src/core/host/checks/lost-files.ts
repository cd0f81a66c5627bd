/** Files that lie where nothing reads them. */
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Finding } from './finding.ts';
import { wholeFile } from './own-files.ts';

/** What people and other programs call the file that is `config.toml` here. */
const OTHER_SETTINGS = /^(?:config|settings|triad|prices)\.(?:json|ya?ml|toml|ini)$/;
const OWN = ['config.toml', 'prices.toml'];

/** `folder`: the person's configuration folder, or `.triad` of a project. */
export async function lostFiles(folder: string, isProject: boolean): Promise<Finding[]> {
  const own = isProject ? ['config.toml'] : OWN;
  const lost = (path: string, todo: string) =>
    wholeFile(join(folder, path), 'is read by nothing here', todo, 'warning');
  const [top, providers, agents, compositions] = await Promise.all(
    ['.', 'providers', 'agents', 'compositions'].map((name) => entriesIn(join(folder, name))),
  );
  return [
    ...top!
      .filter(({ name }) => OTHER_SETTINGS.test(name) && !own.includes(name))
      .map(({ name }) => lost(name, settingsTodo(name, isProject))),
    ...providers!.map(({ name }) => lost(join('providers', name), 'write it under [providers.NAME] in config.toml')),
    ...misplaced(agents!, ['.md', '.toml']).map((one) => lost(join('agents', one.name), one.todo)),
    ...misplaced(compositions!, ['.toml']).map((one) => lost(join('compositions', one.name), one.todo)),
  ];
}

function settingsTodo(name: string, isProject: boolean): string {
  if (name.startsWith('prices.'))
    return isProject ? 'prices are yours: move it to your own folder' : 'call it prices.toml';
  return 'write what it says into config.toml';
}

interface Found {
  name: string;
  isFolder: boolean;
}

/** In a folder of agents: what lies in folders of it, and files with another ending. */
function misplaced(entries: readonly Found[], endings: readonly string[]): { name: string; todo: string }[] {
  return entries.flatMap(({ name, isFolder }) => {
    if (/^(?:\.|readme\.)/i.test(name)) return [];
    if (isFolder) return [{ name, todo: 'move its files into the folder that it is in: folders in it are not read' }];
    if (endings.includes(extname(name))) return [];
    return [{ name, todo: `give it the ending ${endings.join(' or ')}, or take it away` }];
  });
}

async function entriesIn(folder: string): Promise<Found[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return found
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
