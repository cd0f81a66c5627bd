/** What an agent may, in a person's words, in French; the names that files and rules use stand beside them. */
import type { Permission } from '#contract/agent.ts';
import type { SameWords } from '../following.ts';
import type { mayWords as english } from '../may-words.ts';

const may: Readonly<Record<Permission, string>> = {
  FilesystemRead: 'lire des fichiers',
  FilesystemWrite: 'modifier des fichiers',
  SemanticSearch: 'chercher par le sens',
  DatabaseRead: 'lire une base de données',
  DatabaseWrite: 'modifier une base de données',
  NetworkAccess: 'accéder au réseau',
  Execute: 'exécuter des programmes',
};
/** Of these it is told, too, that it may not. */
const GRAVE: readonly Permission[] = ['FilesystemWrite', 'Execute', 'NetworkAccess'];

export const mayWords = {
  one: (permission) => may[permission],
  list: (permissions) =>
    [
      ...permissions.map((name) => `${may[name]} : oui`),
      ...GRAVE.filter((name) => !permissions.includes(name)).map((name) => `${may[name]} : non`),
    ].join(' · '),
} satisfies SameWords<typeof english>;
