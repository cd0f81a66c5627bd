/** The app as `npm run dist` packs it, over a stub in the place of the Electron runtime. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../support/program.ts';

const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
/** As Electron numbers them: all of them the other way round than they should be, and one that is left as it is. */
const WIRE = '101100111';

interface Finished {
  code: number;
  out: string;
  err: string;
}

/** Packs with this folder as the runtime. */
export async function dist(runtime: string, output: string, signal: AbortSignal): Promise<Finished> {
  const args = [join(ROOT, 'scripts/dist.ts'), '--dir', '--output', output];
  const env = { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: runtime, TRIAD_UPDATES_URL: 'https://updates.test/triad' };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env, cwd: output, signal }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

/** Into a folder in `place`; `folder`: of the packed app. */
export async function packApp(place: string, signal: AbortSignal): Promise<Finished & { folder: string }> {
  const [runtime, output] = [join(place, 'runtime'), join(place, 'packed')];
  for (const folder of [runtime, output]) await mkdir(folder);
  const wire = Buffer.concat([Buffer.from([1, WIRE.length]), Buffer.from(WIRE)]);
  await writeFile(join(runtime, 'electron'), Buffer.concat([Buffer.from(`stub ${SENTINEL}`), wire]));
  const packed = await dist(runtime, output, signal);
  const [, name = ''] = /^Packed: (linux-(?:\w+-)?unpacked), /m.exec(packed.out) ?? [];
  return { ...packed, folder: join(output, name) };
}

/** The state of each fuse of an executable, in their order: `0` off, `1` on. */
export function fusesOf(executable: Buffer): string {
  const at = executable.indexOf(SENTINEL) + SENTINEL.length;
  const [version, count = 0] = executable.subarray(at);
  if (version !== 1) throw new Error(`${version} is no version of fuses that is known`);
  return executable.subarray(at + 2, at + 2 + count).toString();
}

/** The files below a folder, by their paths in it. */
export async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => !one.isDirectory());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort();
}

/** The same with what would tell a change. */
export async function looksOf(folder: string): Promise<string[]> {
  const looks = (await filesIn(folder)).map(async (file) => {
    const { size, mtimeMs } = await stat(join(folder, file));
    return `${file} ${size} ${mtimeMs}`;
  });
  return Promise.all(looks);
}
