/**
 * The command line for a machine without Node: `dist/packed/triad-VERSION-PLATFORM-ARCH.tar.gz`, one folder with a Node
 * and the one engine in it and `bin/triad` to be put on the path; on Debian also a `.deb`, which does that. Made of what
 * `stage.ts` has put together; `--output` names another folder.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installed, manifest, ROOT } from './shipped.ts';

const { arch, platform } = process;
/** What a package is made of but a program never reads; the engines of other platforms too. */
const LEFT_OUT = /\.(?:d\.[cm]?ts|map|md|ts|flow)$|\/node_modules\/typescript(?:\/|$)/;
const ENGINE = `surrealdb-node.${platform}-${arch}${platform === 'linux' ? '-gnu' : platform === 'win32' ? '-msvc' : ''}.node`;
const DEBIAN: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

const isShipped = (path: string) => !LEFT_OUT.test(path) && (!path.endsWith('.node') || basename(path) === ENGINE);

/** What both are made of. */
function fill(folder: string): void {
  // The launcher of a package looks for a Node; here is one.
  const parts = manifest.files.filter((part) => part !== manifest.bin.triad);
  for (const part of [...parts, 'LICENSE', 'README.md', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  for (const place of installed())
    cpSync(join(ROOT, place), join(folder, place), { recursive: true, filter: isShipped, dereference: true });
  mkdirSync(join(folder, 'bin'));
  cpSync(process.execPath, join(folder, 'bin/node'));
  const launcher = `#!/bin/sh
# The command line on the Node beside it, from any folder, also through a link; signals and the exit code are its own.
root=$(dirname "$(dirname "$(readlink -f "$0")")")
unset INIT_CWD
exec "$root/bin/node" "$root/dist/cli/cli.js" "$@"
`;
  writeFileSync(join(folder, 'bin/triad'), launcher);
  chmodSync(join(folder, 'bin/triad'), 0o755);
}

function debian(content: string, place: string, output: string): string | null {
  const machine = DEBIAN[arch];
  if (machine === undefined || spawnSync('dpkg-deb', ['--version']).status !== 0) return null;
  const tree = join(place, 'deb');
  cpSync(content, join(tree, 'usr/lib/triad'), { recursive: true });
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  symlinkSync('../lib/triad/bin/triad', join(tree, 'usr/bin/triad'));
  mkdirSync(join(tree, 'DEBIAN'));
  const control = `Package: triad-cli
Version: ${manifest.version}
Architecture: ${machine}
Maintainer: Triad <noreply@triad.invalid>
Depends: libc6, libstdc++6
Section: devel
Priority: optional
Description: one lead agent works for you and may lead up to three others
 Nothing starts without your yes. This is the command line, with the app in the browser.
`;
  writeFileSync(join(tree, 'DEBIAN/control'), control);
  const file = join(output, `triad-cli_${manifest.version}_${machine}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z3', '--build', tree, file], { stdio: 'ignore' });
  return file;
}

const { values } = parseArgs({ options: { output: { type: 'string', default: join(ROOT, 'dist/packed') } } });
const output = resolve(values.output);
if (platform === 'win32') console.log('Not packed: an archive of the command line, which a shell script starts.');
else {
  mkdirSync(output, { recursive: true });
  const place = mkdtempSync(join(tmpdir(), 'triad-archive-'));
  try {
    const name = `triad-${manifest.version}-${platform}-${arch}`;
    fill(join(place, name));
    const archive = join(output, `${name}.tar.gz`);
    execFileSync('tar', ['--owner=0', '--group=0', '-czf', archive, '-C', place, name]);
    const deb = platform === 'linux' ? debian(join(place, name), place, output) : null;
    for (const file of [archive, deb]) if (file !== null) console.log(`Packed: ${file}`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
