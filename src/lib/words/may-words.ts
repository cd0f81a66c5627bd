/** What an agent may, in a person's words; the names that files and rules use stand beside them. */
import type { Permission } from '#contract/agent.ts';

const may: Readonly<Record<Permission, string>> = {
  FilesystemRead: 'read files',
  FilesystemWrite: 'change files',
  SemanticSearch: 'search by meaning',
  DatabaseRead: 'read a database',
  DatabaseWrite: 'change a database',
  NetworkAccess: 'reach the network',
  Execute: 'run programs',
};
/** Of these it is told, too, that it may not. */
const GRAVE: readonly Permission[] = ['FilesystemWrite', 'Execute', 'NetworkAccess'];

export const mayWords = {
  one: (permission: Permission) => may[permission],
  /** `read files: yes · change files: no · run programs: no · reach the network: no` */
  list: (permissions: readonly Permission[]) =>
    [
      ...permissions.map((name) => `${may[name]}: yes`),
      ...GRAVE.filter((name) => !permissions.includes(name)).map((name) => `${may[name]}: no`),
    ].join(' · '),
} as const;
