/** The attacks that `SECURITY.md` lists. */
import { test } from 'vitest';

interface Attack {
  name: string;
  /** Number of tries in `npm test`. */
  short: number;
  /** Number of tries in the full run. */
  full: number;
}

/** The attacks by area. */
export const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  Commands: [
    { name: 'trees of links in the place of known names', short: 30, full: 100 },
    { name: 'trees of links that a background command builds', short: 10, full: 50 },
    { name: 'a git directory that becomes a link while commands start', short: 10, full: 50 },
    { name: 'a secret or repository that is replaced between the scan and the mounts', short: 2, full: 2 },
    { name: 'a git directory that names a folder outside', short: 2, full: 2 },
    { name: 'a link in a folder of programs', short: 1, full: 1 },
    { name: 'a secret that is moved to a folder without a scan', short: 3, full: 3 },
    { name: 'a secret under a name that is not UTF-8', short: 1, full: 1 },
    { name: 'a secret in a folder that a command closed', short: 1, full: 1 },
    { name: 'another name of a secret in a folder that a command closed', short: 1, full: 1 },
    { name: 'hard links to secrets', short: 2, full: 2 },
    { name: 'an index that lists an untracked secret', short: 3, full: 3 },
    { name: 'settings and hooks of a git directory', short: 2, full: 2 },
    { name: 'a git directory that is a link', short: 2, full: 2 },
    { name: 'a home folder and Triad in a folder of the system', short: 1, full: 1 },
    { name: 'a workspace with too many secrets', short: 1, full: 1 },
    { name: 'descriptors that the program inherited', short: 1, full: 1 },
    { name: 'files of the home folder', short: 1, full: 1 },
    { name: 'sockets of other programs', short: 2, full: 2 },
    { name: 'variables with secrets', short: 60, full: 60 },
  ],
  Git: [{ name: 'a repository whose settings, hooks and filters name programs', short: 6, full: 6 }],
  'MCP servers': [
    { name: 'a server that asks 200 questions in one call', short: 1, full: 1 },
    { name: 'an MCP server of the person in a folder with programs of its name', short: 10, full: 10 },
    { name: 'an MCP server of the person that names a file of the folder', short: 5, full: 5 },
  ],
  'Files and keys': [
    { name: 'workspaces in a folder of secrets', short: 6, full: 6 },
    { name: 'a workspace that another folder or a link replaces', short: 16, full: 64 },
    { name: 'known keys in files, commands, MCP servers and web pages', short: 132, full: 132 },
    { name: 'keys that a cut, an encoding of the file or an unusual place hides', short: 10, full: 10 },
  ],
  'Page and terminal': [
    { name: 'a service worker that a program left at another address', short: 1, full: 1 },
    { name: 'a service worker that a program left at the same address', short: 2, full: 2 },
    { name: 'a service worker that lets the page pass', short: 1, full: 1 },
    { name: 'links whose text names another host', short: 300, full: 10_000 },
    { name: 'text that turns around or covers other text', short: 300, full: 10_000 },
    { name: 'text that covers a terminal, a few marks at a time', short: 1, full: 1 },
  ],
  Memory: [{ name: 'lines without an end from an endpoint, MCP servers and a command', short: 5, full: 5 }],
  'ACP clients': [{ name: 'messages of an ACP client with 100,000 levels', short: 4, full: 4 }],
  'Shared store': [{ name: 'grants that another user writes to a shared store', short: 7, full: 7 }],
};

export function findAttack(name: string): Attack {
  const entry = Object.values(ATTACKS)
    .flat()
    .find((one) => one.name === name);
  if (!entry) throw new Error(`ATTACKS does not list "${name}"`);
  return entry;
}

/** Declares the test of an attack that has the same number of tries in both runs. The test gets that number. */
export function attack(name: string, run: (tries: number) => Promise<void>, condition = true): void {
  const { short, full } = findAttack(name);
  if (short !== full) throw new Error(`Use "longAttack" for "${name}": the full run has more tries`);
  test.runIf(condition)(`withstands ${name}`, () => run(short));
}
