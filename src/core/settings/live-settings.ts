/** The current settings: reads give the newest values, and a change is saved to the file before it takes effect. */
import { mkdir, realpath } from 'node:fs/promises';
import type { McpEntryInput } from '#contract/mcp/mcp-entry.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import { settingsFile } from './guarded-files.ts';
import { checkSettings, saveMcpServer, saveProvider, saveSetting, saveTable, type Settings } from './settings.ts';
import { type Swap, swapText } from './swap-text.ts';
import { mustFit, readOwnFile } from './toml-file.ts';

export class LiveSettings implements Settings {
  readonly #configFolder: string;
  #current: Settings;
  readonly #changes = new SerialQueue();
  readonly #onSet: (settings: Settings) => void;
  readonly #listeners = new Set<() => void>();

  /** `initial` is what the folder's file says; `onSet` is told it, and each change of it. */
  constructor(configFolder: string, initial: Settings, onSet: (settings: Settings) => void = () => undefined) {
    this.#configFolder = configFolder;
    this.#current = initial;
    this.#onSet = onSet;
    onSet(initial);
  }

  #take(settings: Settings): void {
    this.#current = settings;
    this.#onSet(settings);
    for (const listener of this.#listeners) listener();
  }

  /** Calls back after each change, when it holds; returns how that ends. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get file(): string {
    return settingsFile(this.#configFolder);
  }

  get models(): Settings['models'] {
    return this.#current.models;
  }

  get limits(): Settings['limits'] {
    return this.#current.limits;
  }

  get permissions(): Settings['permissions'] {
    return this.#current.permissions;
  }

  get approvals(): Settings['approvals'] {
    return this.#current.approvals;
  }

  get providers(): Settings['providers'] {
    return this.#current.providers;
  }

  get context(): Settings['context'] {
    return this.#current.context;
  }

  get web(): Settings['web'] {
    return this.#current.web;
  }

  get sandbox(): Settings['sandbox'] {
    return this.#current.sandbox;
  }

  get backups(): Settings['backups'] {
    return this.#current.backups;
  }

  get mcp(): Settings['mcp'] {
    return this.#current.mcp;
  }

  get updates(): Settings['updates'] {
    return this.#current.updates;
  }

  get telemetry(): Settings['telemetry'] {
    return this.#current.telemetry;
  }

  get redact(): Settings['redact'] {
    return this.#current.redact;
  }

  get history(): Settings['history'] {
    return this.#current.history;
  }

  get attention(): Settings['attention'] {
    return this.#current.attention;
  }

  get desktop(): Settings['desktop'] {
    return this.#current.desktop;
  }

  get sessions(): Settings['sessions'] {
    return this.#current.sessions;
  }

  /** Writes an MCP server, or with null takes it out. Throws like `saveMcpServer`. */
  setMcpServer(name: string, entry: McpEntryInput | null): Promise<void> {
    return this.#changes.add(async () => this.#take(await saveMcpServer(this.#configFolder, name, entry)));
  }

  /** Writes a provider, or with null takes it out. Throws like `saveProvider`. */
  setProvider(name: string, entry: Record<string, unknown> | null): Promise<void> {
    return this.#changes.add(async () => this.#take(await saveProvider(this.#configFolder, name, entry)));
  }

  /** Keeps a filter of the history, with null takes it out; `was`: the name that it had. Throws like `saveProvider`. */
  setFilter({
    name,
    was = name,
    query,
  }: {
    name: string;
    was?: string | undefined;
    query: string | null;
  }): Promise<void> {
    return this.#changes.add(async () => {
      const { [was]: _, ...others } = this.history.filters;
      const filters = query === null ? others : { ...others, [name]: query };
      const isEmpty = Object.keys(filters).length === 0;
      this.#take(await saveTable(this.#configFolder, ['history', 'filters'], isEmpty ? null : filters));
    });
  }

  /** Writes a whole text over the one of that hash. Throws `bad_input` where it does not fit, `conflict` where another one is there. */
  setText({ base, text, record }: Pick<Swap, 'base' | 'text' | 'record'>): Promise<void> {
    return this.#changes.add(async () => {
      const { file } = this;
      const settings = mustFit(checkSettings(text), file);
      await mkdir(this.#configFolder, { recursive: true, mode: 0o700 });
      // Where the file is a link, its target changes and the link stays.
      const target = await realpath(file).catch(() => file);
      await swapText({ file: target, base, text, mode: 0o600, record }, () => readOwnFile(file));
      this.#take(settings);
    });
  }

  /** Saves a key and applies it; null brings the default back. Throws like `saveSetting`. */
  set(path: string, value: string | number | boolean | null): Promise<void> {
    return this.#changes.add(async () => this.#take(await saveSetting(this.#configFolder, path, value)));
  }
}
