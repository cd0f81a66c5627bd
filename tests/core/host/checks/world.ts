/** A configuration with mistakes in it, written down with where each of them stands. */
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { main } from '#hosts/cli/program.ts';
import { memoryClient } from '../../../hosts/support/memory-client.ts';
import { memoryIo } from '../../../hosts/support/memory-io.ts';
import { trustFile } from '../../../support/trusted.ts';
import { folderWith } from '../../../support/workspace.ts';

export interface Mistake {
  /** What kind of mistake, and of what: no two are alike. */
  about: string;
  /** Relative to the world. */
  file: string;
  line: number;
  /** Where the line does not begin with it. */
  column?: number;
  level?: Reported['level'];
  /** What is said of it. */
  what?: RegExp;
  todo?: RegExp;
}

/** A finding as `triad check --json` prints it. */
interface Reported {
  file: string;
  line: number;
  column: number;
  level: 'error' | 'warning';
  what: string;
  todo: string;
}

export interface World {
  /** Below `home/` the person's configuration folder, below `project/` the folder that is worked in. */
  files: Record<string, string | Uint8Array>;
  /** Of files and folders. */
  modes?: Record<string, number>;
  folders?: string[];
  mistakes: Mistake[];
}

/** Files without a mistake, for the mistakes to be made in. */
export const PLAIN: Record<string, string> = { 'home/config.toml': 'providers.active = "demo"\n' };

export interface Seen {
  /** Mistakes that were not found where they stand. */
  missed: string[];
  /** What was found beside them. */
  others: string[];
  /** Findings that say nothing of what to do. */
  mute: string[];
}

export async function seenIn({ files, modes = {}, folders = [], mistakes }: World): Promise<Seen> {
  const plain = Object.entries(PLAIN).filter(([path]) => !folders.includes(path));
  const root = await folderWith({ ...Object.fromEntries(plain), ...files });
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  for (const folder of ['home', 'project', ...folders]) await mkdir(join(root, folder), { recursive: true });
  for (const [path, text] of Object.entries(files))
    if (path.startsWith('project/') && typeof text === 'string')
      await trustFile(home, project, path.slice('project/'.length), text);
  for (const [path, mode] of Object.entries(modes)) await chmod(join(root, path), mode);
  const env = { TRIAD_HOME: home, HOME: join(root, 'nobody'), PATH: dirname(process.execPath) };
  const findings = await check(project, env);
  for (const [path, mode] of Object.entries(modes)) await chmod(join(root, path), mode | 0o700);
  const left = [...findings];
  const missed = mistakes.filter((mistake) => {
    const index = left.findIndex((finding) => isMeant(finding, mistake, root));
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  const shown = ({ file, line, what }: Reported) => `${file.slice(root.length + 1)}:${line}: ${what}`;
  return {
    missed: missed.map(({ about, file, line }) => `${about} (${file}:${line})`),
    others: left.map(shown),
    mute: findings.filter(({ todo, column }) => todo === '' || column < 1).map(shown),
  };
}

async function check(folder: string, env: Record<string, string>): Promise<Reported[]> {
  const io = memoryIo({ client: memoryClient(), env, folder });
  await main(['check', '--json'], io);
  await io.screen.flush();
  return (JSON.parse(io.out()) as { findings: Reported[] }).findings;
}

function isMeant(
  finding: Reported,
  { file, line, column, level = 'error', what = /./, todo = /./ }: Mistake,
  root: string,
): boolean {
  return (
    finding.file === join(root, file) &&
    finding.line === line &&
    finding.column === (column ?? finding.column) &&
    finding.level === level &&
    what.test(finding.what) &&
    todo.test(finding.todo)
  );
}

/** Writes a file line by line, and notes on which line each mistake stands. */
export class Page {
  readonly #lines: string[] = [];
  readonly mistakes: Mistake[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  add(...lines: string[]): this {
    this.#lines.push(...lines.flatMap((line) => line.split('\n')));
    return this;
  }

  wrong(about: string, line: string, rest: Partial<Mistake> = {}): this {
    this.mistakes.push({
      about,
      file: this.#file,
      line: this.#lines.length + 1,
      column: line.search(/\S/) + 1,
      ...rest,
    });
    return this.add(line);
  }

  get world(): World {
    return { files: { [this.#file]: `${this.#lines.join('\n')}\n` }, mistakes: this.mistakes };
  }
}

export function together(...worlds: World[]): World {
  return {
    files: Object.assign({}, ...worlds.map(({ files }) => files)) as World['files'],
    modes: Object.assign({}, ...worlds.map(({ modes }) => modes)) as Record<string, number>,
    folders: worlds.flatMap(({ folders = [] }) => folders),
    mistakes: worlds.flatMap(({ mistakes }) => mistakes),
  };
}
