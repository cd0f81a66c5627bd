/** The command on the path: where it goes, that it runs the packaged one, what stays of others, and that it goes again. */
import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { commandItem, type CommandPlace, toggleCommand } from '../../electron/desktop/command-line.ts';
import { speak } from '../../electron/text.ts';
import { ROOT } from '../support/program.ts';
import { folderWith } from '../support/workspace.ts';

beforeEach(() => void speak('en'));

async function packaged(over: Partial<CommandPlace> = {}): Promise<CommandPlace> {
  const launcher = await readFile(join(ROOT, 'electron/resources/triad'));
  const cli = 'console.log(JSON.stringify(process.argv.slice(2)))\n';
  const place = await folderWith({
    'app/resources/bin/triad': launcher,
    'app/resources/bin/triad.cmd': '',
    'app/resources/app.asar.unpacked/cli/dist/electron/cli.js': cli,
  });
  const resources = join(place, 'app/resources');
  await chmod(join(resources, 'bin/triad'), 0o755);
  await symlink(process.execPath, join(resources, 'bin/node'));
  const home = join(place, 'home');
  await mkdir(home);
  return { resources, home, platform: 'linux', env: {}, shared: join(place, 'shared'), ...over };
}

test('installs the command in the folder of the user, runs the packaged program, and removes the command', async () => {
  const place = await packaged();
  const path = join(place.home, '.local/bin/triad');
  const folder = join(place.home, '.local/bin');
  expect(await toggleCommand(place)).toBe(
    `The command “triad” is there now: ${path}\n${folder} is not among the folders in which your shell looks: add it to PATH.`,
  );
  const said = execFileSync(path, ['run', 'two words'], { env: { PATH: '' }, encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual(['run', 'two words']);
  expect(await toggleCommand(place)).toBe(`The command “triad” was removed: ${path}`);
  await expect(lstat(path)).rejects.toThrow('ENOENT');
});

test('prefers a writable folder on the PATH to a folder that must be created', async () => {
  const place = await packaged();
  await mkdir(place.shared!);
  expect(await toggleCommand(place), 'not on the path').toContain(`${place.home}/.local/bin/triad`);
  await toggleCommand(place);
  const at = { ...place, env: { PATH: `/usr/bin:${place.shared!}` } };
  expect(await toggleCommand(at)).toBe(`The command “triad” is there now: ${place.shared!}/triad`);
  expect(await readlink(join(place.shared!, 'triad'))).toBe(join(place.resources, 'bin/triad'));
});

test.each(['a file', 'a link', 'a folder'])('%s of another program at the path of the command stays', async (kind) => {
  const place = await packaged();
  const path = join(place.home, '.local/bin/triad');
  await mkdir(join(path, '..'), { recursive: true });
  if (kind === 'a file') await writeFile(path, 'mine');
  else if (kind === 'a link') await symlink('/bin/true', path);
  else await mkdir(path);
  for (let times = 0; times < 2; times += 1)
    expect(await toggleCommand(place)).toBe(`${path} is something else, and was left as it is.`);
  if (kind === 'a file') expect(await readFile(path, 'utf8')).toBe('mine');
  else if (kind === 'a link') expect(await readlink(path)).toBe('/bin/true');
  else expect((await lstat(path)).isDirectory()).toBe(true);
});

test('on Windows the command is a .cmd file in the WindowsApps folder', async () => {
  const place = await packaged({ platform: 'win32' });
  const at = { ...place, env: { LOCALAPPDATA: join(place.home, 'Local') } };
  const path = join(place.home, 'Local/Microsoft/WindowsApps/triad.cmd');
  expect(await toggleCommand(at)).toContain(path);
  expect(await readFile(path, 'utf8')).toBe(`@"${join(place.resources, 'bin/triad.cmd')}" %*\r\n`);
  expect(await toggleCommand(at)).toBe(`The command “triad” was removed: ${path}`);
});

test('offers no command in an AppImage, or where no launcher was packaged', async () => {
  const place = await packaged();
  expect(await toggleCommand({ ...place, env: { APPIMAGE: '/home/me/Triad.AppImage' } })).toMatch(/^An AppImage lies/);
  await expect(lstat(join(place.home, '.local'))).rejects.toThrow('ENOENT');
  expect(await commandItem({ ...place, resources: place.home }, () => undefined)).toBeNull();
});

test('the menu item is labelled Install, then Remove, and reports each result', async () => {
  const place = await packaged();
  const said: string[] = [];
  const labels = [];
  for (let times = 1; times <= 2; times += 1) {
    const item = await commandItem(place, (message) => void said.push(message));
    labels.push(item?.label);
    Reflect.apply(item!.click!, null, []);
    await vi.waitFor(() => expect(said).toHaveLength(times));
  }
  expect(labels).toEqual(['Install the Command “triad”', 'Remove the Command “triad”']);
});
