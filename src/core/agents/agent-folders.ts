/** The agents of each workspace folder, read anew for each workflow: what was saved before it starts counts, and what runs keeps what it has. */
import { join, relative, sep } from 'node:path';
import { TriadError } from '../base/errors.ts';
import { Recent } from '../base/recent.ts';
import { isInstructionPath } from '#contract/instruction-path.ts';
import type { Trust } from './trust.ts';
import type { Ceilings } from './ceilings.ts';
import { FileTextCache } from './file-text-cache.ts';
import { instructionFiles, toldOf } from './instruction-files.ts';
import {
  checkHere,
  definitionsOf,
  describeFault,
  firstOfEachName,
  loadFile,
  loadFiles,
  type HereRules,
  type LoadedFile,
  type UnlinkedFile,
} from './load.ts';
import { linkFiles } from './links/links.ts';
import { type AgentPlace, PROJECT_CONFIG, projectPlaces } from './places.ts';
import type { RawFile } from './entries.ts';
import { readAgentFile, readPlace } from './read-place.ts';
import { AgentRegistry } from './registry.ts';
import { checkServers, type KnownServers } from './check-servers.ts';
import { MCP_JSON } from '../settings/mcp-json.ts';
import type { PinnedFolders } from '../workspace/roots.ts';
import type { KnownTool } from './vocabulary.ts';

export interface AgentFolderPorts {
  tools: readonly KnownTool[];
  /** Of every workspace: the built-in ones and the person's own; a later place overrides an earlier one. */
  places: readonly AgentPlace[];
  trust: Trust;
  /** Called with one line for each fault, once for each version of a file. */
  warn: (line: string) => void;
}

/** A file of a workspace, with the relative path by which it is trusted. */
export interface ProjectFile {
  relative: string;
  raw: RawFile;
  /** Null for the project's settings, its MCP servers and its instructions, which define no agent. */
  place: AgentPlace | null;
}

/** What files say, by path, and below ceilings; reused while the hash is the same. */
type Parsed = Map<string, { hash: string; file: UnlinkedFile }>;

/** By the tools for which they were read. */
const parsed = new WeakMap<readonly KnownTool[], Parsed>();

/** Of the places that need no trust: what a project says is read whenever it matters. */
const texts = new FileTextCache();
/** Files of built-in agents by folder. They are part of the program and read once. */
const builtinFiles = new Map<string, RawFile[]>();

/** The last linked files of a folder. */
interface LinkedFolder {
  files: readonly UnlinkedFile[];
  loaded: readonly LoadedFile[];
}

/** Maximum number of folders with cached links. */
const MAX_LINKED_FOLDERS = 16;

export class AgentFolders {
  readonly #ports: AgentFolderPorts;
  readonly #parsed: Parsed;
  readonly #linked = new Recent<LinkedFolder>(MAX_LINKED_FOLDERS);
  readonly #reported = new Set<string>();
  /** Null until it is known which models there are: then no name of one is held against it. */
  #models: HereRules | null = null;
  #roots: Pick<PinnedFolders, 'read'> | null = null;
  #servers: ((folder: string) => Promise<KnownServers>) | null = null;

  constructor(ports: AgentFolderPorts) {
    this.#ports = ports;
    this.#parsed = parsed.get(ports.tools) ?? (new Map() as Parsed);
    parsed.set(ports.tools, this.#parsed);
  }

  /** From now on an agent whose model cannot be used is a file with a fault. */
  useModels(models: HereRules): void {
    this.#models = models;
  }

  /** From now on nothing is read from a folder that was replaced. */
  useRoots(roots: Pick<PinnedFolders, 'read'>): void {
    this.#roots = roots;
  }

  /** From now on what files name of MCP servers is held against those of the folder. */
  useServers(known: (folder: string) => Promise<KnownServers>): void {
    this.#servers = known;
  }

  /** The agents that can be used in a folder now; of the project's files only those whose present text is trusted. */
  async of(folder: string): Promise<AgentRegistry> {
    const { places, trust } = this.#ports;
    const [own, project, hashes] = await Promise.all([
      Promise.all(places.map(async (place) => ({ place, files: await this.#readOwn(place) }))),
      this.#projectFiles(folder),
      trust.hashes(folder),
    ]);
    // An unreadable file defines nothing, so it needs no trust: its fault is reported.
    const isTrusted = ({ relative, raw }: ProjectFile) => raw.problem !== null || hashes.get(relative) === raw.hash;
    const trusted = projectPlaces(folder).map((place) => {
      const mine = project.filter((file) => file.place?.folder === place.folder && isTrusted(file));
      return { place, files: mine.map(({ raw }) => raw) };
    });
    const untrusted = project.filter((file) => !isTrusted(file)).map((file) => file.relative);
    const instructions = project.filter((file) => isInstructionPath(file.relative));
    for (const { raw } of instructions)
      if (raw.problem !== null) this.#warn(`${raw.path}\0${raw.problem}`, () => [`${raw.path} ${raw.problem}`]);
    const registry = new AgentRegistry(untrusted, toldOf(instructions.filter(isTrusted)));
    const all = [...own, ...trusted];
    const loaded = this.#link(
      folder,
      all.flatMap(({ place, files }) => this.#load(files, place)),
    );
    for (const file of loaded)
      if (!file.ok)
        this.#report(
          file,
          all.flatMap(({ files }) => files),
        );
    for (const definition of definitionsOf(loaded)) registry.register(definition);
    return registry;
  }

  /** Every file that could define an agent in a folder, trusted or not, in the order in which later ones override. */
  async files(folder: string, ceilings?: Ceilings): Promise<LoadedFile[]> {
    const { tools, trust } = this.#ports;
    const hashes = await trust.hashes(folder);
    const read = await Promise.all(
      this.places(folder).map(async (place) => {
        const raws = await readPlace(place);
        const files = firstOfEachName(await loadFiles(raws, (raw) => this.#parse(raw, place, ceilings)));
        return files.map((file, index) => {
          const raw = raws[index]!;
          const known = place.source === 'project' ? hashes.get(pathInProject(folder, raw.path)) : undefined;
          const isTrusted = place.source !== 'project' || raw.problem !== null || known === raw.hash;
          return { file: this.checked(file, place), isTrusted };
        });
      }),
    );
    const all = read.flat();
    // What is in effect is linked without what is not, which is linked as if all of it were.
    const used = all.filter(({ isTrusted }) => isTrusted).map(({ file }) => file);
    const linked = linkFiles(used, tools);
    const whole =
      used.length === all.length
        ? linked
        : linkFiles(
            all.map(({ file }) => file),
            tools,
          );
    let next = 0;
    const files = all.map(({ isTrusted }, index) => (isTrusted ? linked[next++]! : whole[index]!));
    return this.withServers(files, folder);
  }

  /** One file as it was read, with what the others of the folder make of its links. */
  async linked(folder: string, place: AgentPlace, file: UnlinkedFile): Promise<LoadedFile> {
    const { tools } = this.#ports;
    const found = await Promise.all(
      this.places(folder).map(async (one) => {
        const all = firstOfEachName(await loadFiles(await readPlace(one), (raw) => this.#parse(raw, one)));
        const files = all.filter(({ path }) => path !== file.path).map((other) => this.checked(other, one));
        return one.folder === place.folder ? [...files, file] : files;
      }),
    );
    const files = found.flat();
    const linked = linkFiles(files, tools)[files.indexOf(file)];
    if (!linked) throw new TriadError('internal', `${file.path} is in no place of ${folder}`);
    const [checked = linked] = await this.withServers([linked], folder);
    return checked;
  }

  /** With warnings about what they name of MCP servers that the folder does not have. */
  async withServers(files: readonly LoadedFile[], folder: string): Promise<LoadedFile[]> {
    const isAny = files.some((file) => file.ok && file.mentions.length > 0);
    if (!isAny || this.#servers === null) return [...files];
    const known = await this.#servers(folder);
    return files.map((file) => checkServers(file, known));
  }

  /** With what is known against its model now. */
  checked(file: UnlinkedFile, { dialect }: AgentPlace): UnlinkedFile {
    return this.#models === null ? file : checkHere(file, dialect, this.#models);
  }

  /** The places of those files, in the same order. */
  places(folder: string): AgentPlace[] {
    return [...this.#ports.places, ...projectPlaces(folder)];
  }

  async #projectFiles(folder: string): Promise<ProjectFile[]> {
    if (this.#roots === null) return projectFiles(folder);
    return (await this.#roots.read(folder, () => projectFiles(folder))) ?? [];
  }

  async #readOwn(place: AgentPlace): Promise<RawFile[]> {
    if (place.source !== 'builtin') return readPlace(place, (path) => texts.read(path));
    const cachedFiles = builtinFiles.get(place.folder);
    if (cachedFiles) return cachedFiles;
    const files = await readPlace(place);
    if (files.every(({ problem }) => problem === null)) builtinFiles.set(place.folder, files);
    return files;
  }

  #load(files: readonly RawFile[], place: AgentPlace): UnlinkedFile[] {
    return firstOfEachName(files.map((raw) => this.#parse(raw, place))).map((file) => this.checked(file, place));
  }

  /** Links the files of a folder again if one of them has changed. */
  #link(folder: string, files: readonly UnlinkedFile[]): readonly LoadedFile[] {
    const last = this.#linked.get(folder, () => ({ files: [], loaded: [] }));
    const isSame = last.files.length === files.length && files.every((file, at) => file === last.files[at]);
    if (!isSame) Object.assign(last, { files, loaded: linkFiles(files, this.#ports.tools) });
    return last.loaded;
  }

  /** With `ceilings`, warnings tell what they cut. */
  #parse(raw: RawFile, place: AgentPlace, ceilings?: Ceilings): UnlinkedFile {
    const { tools } = this.#ports;
    if (raw.problem !== null) return loadFile(raw, place, tools, ceilings);
    const [key, hash] = ceilings
      ? [`${raw.path}\0under`, `${raw.hash} ${JSON.stringify(ceilings)}`]
      : [raw.path, raw.hash];
    const known = this.#parsed.get(key);
    if (known?.hash === hash) return known.file;
    const file = loadFile(raw, place, tools, ceilings);
    this.#parsed.set(key, { hash, file });
    return file;
  }

  /** Reports the first fault with the number of the others: each program does so, and validation has all of them. */
  #report(file: LoadedFile & { ok: false }, files: readonly RawFile[]): void {
    const raw = files.find(({ path }) => path === file.path);
    this.#warn(`${file.path}\0${raw?.problem ?? raw?.hash}`, () => {
      const [first, ...others] = file.errors;
      if (first === undefined) return [];
      const more = others.length === 1 ? '1 more fault' : `${others.length} more faults`;
      const rest = others.length === 0 ? '' : `, and ${more}: see "triad agents validate"`;
      return [`${describeFault(file.path, first)}${rest}`];
    });
  }

  /** Once for each version of a file. */
  #warn(version: string, lines: () => readonly string[]): void {
    if (this.#reported.has(version)) return;
    this.#reported.add(version);
    for (const line of lines()) this.#ports.warn(line);
  }
}

/** Every file of a workspace that needs trust before it may allow or define anything. */
export async function projectFiles(folder: string): Promise<ProjectFile[]> {
  const [settings, servers, instructions, ...found] = await Promise.all([
    readAgentFile(join(folder, PROJECT_CONFIG)),
    readAgentFile(join(folder, MCP_JSON)),
    instructionFiles(folder),
    ...projectPlaces(folder).map(async (place) =>
      (await readPlace(place)).map((raw): Omit<ProjectFile, 'relative'> => ({ raw, place })),
    ),
  ]);
  const others = [settings, servers].filter(({ problem }) => problem === null).map((raw) => ({ raw, place: null }));
  const inProject = [...found.flat(), ...others].map((file) => {
    return { ...file, relative: pathInProject(folder, file.raw.path) };
  });
  return [...inProject, ...instructions.map((file) => ({ ...file, place: null }))];
}

/** A file's path relative to the workspace, with forward slashes: its name in the trust file. */
export function pathInProject(folder: string, file: string): string {
  return relative(folder, file).split(sep).join('/');
}
