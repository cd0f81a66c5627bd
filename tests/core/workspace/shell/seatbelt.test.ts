/** The profile of Seatbelt. Its rules are compared as text: the last one that matches decides. */
import { expect, test } from 'vitest';
import type { OpenEntry } from '#core/workspace/open-entry.ts';
import { createMounts } from '#core/workspace/shell/mounts.ts';
import { seatbeltProfile } from '#core/workspace/shell/seatbelt.ts';

const FOLDER = '/Users/me/w "s"';
const BOUNDS = { folder: FOLDER, temporary: '/private/tmp/t', network: false };
const OUTSIDE = {
  home: '/Users/me',
  readable: [{ path: '/Users/me/.nvm', source: '/Volumes/tools/nvm' }],
  caches: '/Users/me/Library/triad/caches/1',
};
const entry = (path: string) => ({ path: `/Users/me/w/${path}` }) as OpenEntry;
const MOUNTS = {
  ...createMounts(),
  readOnly: [entry('.git/config')],
  unmovable: [entry('.git')],
  selfContained: [entry('.git')],
  hiddenFolders: [entry('.ssh')],
  hiddenFiles: [entry('.env')],
  empty: ['/Users/me/w/.git/hooks'],
};

const compose = (more: Partial<Parameters<typeof seatbeltProfile>[0]> = {}): string[] =>
  seatbeltProfile({ ...BOUNDS, ...more }, OUTSIDE, MOUNTS).split('\n');
const find = (lines: readonly string[], start: string): number => lines.findIndex((line) => line.startsWith(start));

test('hides the home folder except toolchains, caches and the workspace', () => {
  const lines = compose();
  const denied = find(lines, '(deny file-read* (subpath "/Users")');
  const allowed = find(lines, '(allow file-read* ');
  expect(lines[denied]).toBe(
    '(deny file-read* (subpath "/Users") (subpath "/Volumes") (subpath "/private/var/root") (subpath "/Users/me"))',
  );
  expect(lines[allowed]).toBe(
    String.raw`(allow file-read* (subpath "/Users/me/w \"s\"") (subpath "/private/tmp/t") (subpath "/Users/me/Library/triad/caches/1") (subpath "/Users/me/.nvm") (subpath "/Volumes/tools/nvm"))`,
  );
  expect(lines[find(lines, '(allow file-read-metadata ')]).toContain('(literal "/Users/me") (literal "/Users")');
  expect(denied).toBeLessThan(allowed);
});

test('allows writing only to a workspace that is not read-only, the caches, a temporary folder and some devices', () => {
  const lines = compose();
  const allowed = find(lines, '(allow file-write*');
  expect(lines[allowed]).toBe(
    String.raw`(allow file-write* (subpath "/Users/me/w \"s\"") (subpath "/Users/me/Library/triad/caches/1") (subpath "/private/tmp/t") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/tty"))`,
  );
  expect(lines.indexOf('(deny file-write*)')).toBeLessThan(allowed);
  expect(lines.indexOf('(deny file-write*)')).toBeGreaterThan(0);
  expect(compose({ readOnly: true })[allowed]).not.toContain('/Users/me/w');
});

test('denies reading and writing the secret files of the workspace', () => {
  expect(compose().at(-1)).toBe(
    '(deny file-read* file-write* (subpath "/Users/me/w/.ssh") (subpath "/Users/me/w/.env"))',
  );
});

test('denies writing settings and hooks of git and moving a git directory', () => {
  const lines = compose();
  const denied = find(lines, '(deny file-write* (subpath');
  expect(lines[denied]).toBe(
    '(deny file-write* (subpath "/Users/me/w/.git/config") (subpath "/Users/me/w/.git/hooks") (subpath "/Users/me/w/.git/commondir"))',
  );
  expect(denied).toBeGreaterThan(find(lines, '(allow file-write*'));
  expect(lines).toContain('(deny file-write-unlink (literal "/Users/me/w/.git"))');
});

test('denies the network, or allows the network without or with Unix sockets', () => {
  const network = (more: Parameters<typeof compose>[0]) => compose(more).filter((line) => line.includes(' network'));
  expect(network({})).toEqual(['(deny network*)']);
  expect(network({ network: true })).toEqual([
    '(deny network-outbound (remote unix-socket))',
    '(allow network-outbound (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))',
  ]);
  expect(network({ network: true, unixSockets: true })).toEqual([]);
});

test('denies starting apps, key services and signals to other processes', () => {
  const lines = compose();
  expect(lines.slice(0, 3)).toEqual(['(version 1)', '(allow default)', '(deny appleevent-send)']);
  expect(lines[3]).toMatch(/^\(deny mach-lookup .*"com\.apple\.securityd\.xpc".*"com\.apple\.lsd\.open"/);
  expect(lines).toEqual(
    expect.arrayContaining(['(deny signal (target others))', '(deny process-info* (target others))']),
  );
});

test('the profile has balanced parentheses and quotes', () => {
  const text = compose()
    .join('\n')
    .replaceAll(String.raw`\"`, '');
  expect(text.split('(').length).toBe(text.split(')').length);
  expect(text.split('"').length % 2).toBe(1);
});
