/** How a program of our bundle is started in a process of its own: by the Node that runs this, or by the one that was packed. */
import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What is asked of this process. `resourcesPath`: in a desktop alone, where its archive lies. */
export interface Host {
  execPath: string;
  versions: { node?: string; electron?: string };
  platform: NodeJS.Platform;
  resourcesPath?: string;
}

/** What is started, and its first argument. */
export interface NodeProgram {
  node: string;
  program: string;
}

/**
 * `program`: a file of the bundle. A desktop's executable runs no programs, and its archive can be read by itself alone: there
 * it is the command line's copy, with the Node beside it. Null where a desktop has none: one that was not packed.
 */
export function nodeProgram(program: string, host: Host = process): NodeProgram | null {
  if (host.versions.electron === undefined) return { node: host.execPath, program };
  const { resourcesPath: resources = '' } = host;
  const archive = join(resources, 'app.asar');
  if (resources === '' || !program.startsWith(archive)) return null;
  const node = join(resources, 'bin', host.platform === 'win32' ? 'node.exe' : 'node');
  const unpacked = join(`${archive}.unpacked`, 'cli', program.slice(archive.length));
  return existsSync(node) && existsSync(unpacked) ? { node, program: unpacked } : null;
}

/** Exit code and trimmed output of a program. `code`: null if a signal ended it. */
export interface EndedProgram {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program with one argument to its end; its stdin stays open until then. */
export async function runProgram(
  { node, program }: NodeProgram,
  argument: string,
  options: Pick<SpawnOptions, 'env' | 'timeout'>,
): Promise<EndedProgram> {
  const child = spawn(node, [program, argument], { ...options, stdio: 'pipe', killSignal: 'SIGKILL' });
  let [stdout, stderr] = ['', ''];
  // Decoded by the stream: a chunk may end within a character.
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout.trim(), stderr: stderr.trim() };
}
