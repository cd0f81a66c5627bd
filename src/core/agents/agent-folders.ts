/** The agents of each workspace folder, read anew for each workflow: what was saved before it starts counts, and what runs keeps what it has. */
import { join, relative, sep } from 'node:path';
import type { Trust } from './trust.ts';
import { FileTextCache } from './file-text-cache.ts';
import { definitionsOf, describeFault, firstOfEachName, loadFile, type LoadedFile, loadPlace } from './load.ts';
import { type AgentPlace, PROJECT_CONFIG, projectPlaces } from './places.ts';
import { type RawFile, readAgentFile, readPlace } from './read-place.ts';
import { AgentRegistry } from './registry.ts';
import type { KnownTool } from './vocabulary.ts';

export interface AgentFolderPorts {
  tools: readonly KnownTool[];
  /** Of every workspace: the built-in ones and the person's own; a later place overrides an earlier one. */
  places: readonly AgentPlace[];
  trust: Trust;
  /** Gets a line for each fault, once for each text of a file. */
  warn: (line: string) => void;
}

/** A file of a workspace with its path relative to it, as trust knows it. */
export interface ProjectFile {
  relative: string;
  raw: RawFile;
  /** Null for what is no agent. */
  place: AgentPlace | null;
}

export class AgentFolders {
  readonly #ports: AgentFolderPorts;
  /** What each file said when it was last read, by its path. */
  readonly #parsed = new Map<string, { hash: string; file: LoadedFile }>();
  /** Of the places that need no trust: what a project says is read whenever it matters. */
  readonly #texts = new FileTextCache();
  readonly #reported = new Set<string>();

  constructor(ports: AgentFolderPorts) {
    this.#ports = ports;
  }

  /** Those that can be used in a folder now; of the project's files only those that are trusted as they are. */
  async of(folder: string): Promise<AgentRegistry> {
    const { places, trust } = this.#ports;
    const [own, project, hashes] = await Promise.all([
      Promise.all(places.map(async (place) => ({ place, files: await this.#readOwn(place) }))),
      projectFiles(folder),
      trust.hashes(folder),
    ]);
    // One that cannot be read is nothing to trust: it is told like any fault.
    const isTrusted = ({ relative, raw }: ProjectFile) => raw.problem !== null || hashes.get(relative) === raw.hash;
    const trusted = projectPlaces(folder).map((place) => {
      const mine = project.filter((file) => file.place?.folder === place.folder && isTrusted(file));
      return { place, files: mine.map(({ raw }) => raw) };
    });
    const untrusted = project.filter((file) => !isTrusted(file)).map((file) => file.relative);
    const registry = new AgentRegistry(untrusted);
    for (const { place, files } of [...own, ...trusted])
      for (const definition of definitionsOf(this.#load(files, place))) registry.register(definition);
    return registry;
  }

  /** Every file that could define an agent in a folder, trusted or not, in the order in which later ones override. */
  async files(folder: string): Promise<LoadedFile[]> {
    const { tools } = this.#ports;
    return (await Promise.all(this.places(folder).map((place) => loadPlace(place, tools)))).flat();
  }

  /** Where they lie, in the same order. */
  places(folder: string): AgentPlace[] {
    return [...this.#ports.places, ...projectPlaces(folder)];
  }

  #readOwn(place: AgentPlace): Promise<RawFile[]> {
    return readPlace(place, (path) => this.#texts.read(path));
  }

  #load(files: readonly RawFile[], place: AgentPlace): LoadedFile[] {
    const loaded = firstOfEachName(files.map((raw) => this.#parse(raw, place)));
    for (const file of loaded) if (!file.ok) this.#tell(file, files);
    return loaded;
  }

  #parse(raw: RawFile, place: AgentPlace): LoadedFile {
    const { tools } = this.#ports;
    if (raw.problem !== null) return loadFile(raw, place, tools);
    const known = this.#parsed.get(raw.path);
    if (known?.hash === raw.hash) return known.file;
    const file = loadFile(raw, place, tools);
    this.#parsed.set(raw.path, { hash: raw.hash, file });
    return file;
  }

  #tell(file: LoadedFile & { ok: false }, files: readonly RawFile[]): void {
    const raw = files.find(({ path }) => path === file.path);
    const version = `${file.path}\0${raw?.problem ?? raw?.hash}`;
    if (this.#reported.has(version)) return;
    this.#reported.add(version);
    for (const error of file.errors) this.#ports.warn(describeFault(file.path, error));
  }
}

/** Everything in a workspace that needs trust before it may widen anything. */
export async function projectFiles(folder: string): Promise<ProjectFile[]> {
  const config = join(folder, PROJECT_CONFIG);
  const [settings, ...found] = await Promise.all([
    readAgentFile(config),
    ...projectPlaces(folder).map(async (place) =>
      (await readPlace(place)).map((raw): Omit<ProjectFile, 'relative'> => ({ raw, place })),
    ),
  ]);
  const others = settings.problem === null ? [{ raw: settings, place: null }] : [];
  return [...found.flat(), ...others].map((file) => {
    return { ...file, relative: pathInProject(folder, file.raw.path) };
  });
}

/** As trust knows it. */
export function pathInProject(folder: string, file: string): string {
  return relative(folder, file).split(sep).join('/');
}
