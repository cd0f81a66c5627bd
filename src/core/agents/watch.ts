/** Reports changes of the files that define or instruct agents: watches the places of a folder while it has subscribers. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { instructionPaths } from './instruction-files.ts';
import { PROJECT_CONFIG } from './places.ts';

/** Changes within this time are reported once. */
const DEBOUNCE_MS = 100;

interface Listener {
  changed(): void;
  end(): Promise<void>;
}

export class AgentWatch {
  readonly #placesOf: (folder: string) => readonly string[];
  readonly #listeners = new Set<Listener>();
  #closed = false;

  /** `placesOf`: the folders that hold agents of a workspace; they need not exist. */
  constructor(placesOf: (folder: string) => readonly string[]) {
    this.#placesOf = placesOf;
  }

  /** Resolves once every later change will be seen, with the function that ends the subscription. */
  async subscribe(folder: string, onChange: () => void): Promise<() => void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = (): void => {
      clearTimeout(timer);
      timer = setTimeout(onChange, DEBOUNCE_MS);
    };
    const places = [...this.#placesOf(folder), join(folder, PROJECT_CONFIG)];
    const watcher = await watchPlaces(places, await instructionPaths(folder), changed);
    const listener: Listener = {
      changed,
      end: async () => {
        this.#listeners.delete(listener);
        await watcher.close();
        clearTimeout(timer);
      },
    };
    this.#listeners.add(listener);
    if (this.#closed) await listener.end();
    return () => void listener.end();
  }

  /** Call when this program has changed a file, or the trust in one. */
  changed(): void {
    for (const listener of this.#listeners) listener.changed();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#listeners].map((listener) => listener.end()));
  }
}

interface Watching {
  close(): Promise<void>;
}

/** Where the system cannot watch, only changes by this program are reported. */
async function watchPlaces(
  places: readonly string[],
  files: readonly string[],
  onChange: () => void,
): Promise<Watching> {
  // Loaded on first use, because most commands never watch.
  const { watch } = await import('chokidar');
  const [inFolders, single] = await Promise.all([places, files].map((paths) => Promise.all(paths.map(canonical))));
  const wanted = [...inFolders!, ...single!];
  // Watches from the folders above, to notice places that are made later; everything else in those folders is ignored.
  const isRelevant = (path: string) =>
    wanted.some((one) => one === path || one.startsWith(path + sep) || path.startsWith(one + sep));
  const above = [...inFolders!.map((one) => dirname(dirname(one))), ...single!.map((one) => dirname(one))];
  const roots = await Promise.all(above.map(existing));
  const watcher = watch([...new Set(roots)], {
    ignoreInitial: true,
    // A link may lead to the whole disk.
    followSymlinks: false,
    backend: 'native',
    ignored: (path) => !isRelevant(path),
  });
  await new Promise<void>((resolve) => {
    watcher.on('ready', () => resolve()).on('error', () => resolve());
  });
  watcher.on('all', onChange);
  return watcher;
}

/** The path with links resolved in the folders above it; the last part may be a link, or missing. */
async function canonical(path: string): Promise<string> {
  const above = dirname(path);
  if (above === path) return path;
  const folder = await realpath(above).catch(() => canonical(above));
  return join(folder, basename(path));
}

/** The folder, or the nearest existing one above it. */
async function existing(folder: string): Promise<string> {
  const stats = await stat(folder).catch(() => null);
  const above = dirname(folder);
  return stats !== null || above === folder ? folder : existing(above);
}
