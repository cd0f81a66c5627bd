/** Tells when files that define agents change: watches the places of a folder while somebody wants to know. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { PROJECT_CONFIG } from './places.ts';

/** What is saved in one go is told once. */
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

  /** Resolves once nothing that changes from then on is missed; the returned function ends it. */
  async subscribe(folder: string, onChange: () => void): Promise<() => void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = (): void => {
      clearTimeout(timer);
      timer = setTimeout(onChange, DEBOUNCE_MS);
    };
    const watcher = await watchPlaces(this.#placesOf(folder), join(folder, PROJECT_CONFIG), changed);
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

  /** The trust in files, or a file, was changed by this program. */
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

/** Where the system can watch no more, what this program changes itself is still told. */
async function watchPlaces(places: readonly string[], config: string, onChange: () => void): Promise<Watching> {
  // Only who asks pays for it.
  const { watch } = await import('chokidar');
  const wanted = await Promise.all([...places, config].map(canonical));
  // A folder that is missing, or made anew, is noticed from above. Nothing else of what stands there is looked at.
  const isRelevant = (path: string) =>
    wanted.some((one) => one === path || one.startsWith(path + sep) || path.startsWith(one + sep));
  const roots = await Promise.all(wanted.map((one) => existing(dirname(dirname(one)))));
  const watcher = watch([...new Set(roots)], {
    ignoreInitial: true,
    // One that a place is, or has, may lead to the whole disk.
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

/** As it really lies, whatever links lead to it; itself it may be one, or not be there yet. */
async function canonical(path: string): Promise<string> {
  const above = dirname(path);
  if (above === path) return path;
  const folder = await realpath(above).catch(() => canonical(above));
  return join(folder, basename(path));
}

/** The folder, or the nearest above it that is there. */
async function existing(folder: string): Promise<string> {
  const stats = await stat(folder).catch(() => null);
  const above = dirname(folder);
  return stats !== null || above === folder ? folder : existing(above);
}
