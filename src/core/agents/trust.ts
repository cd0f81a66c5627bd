/** Which files of which workspaces the person trusts: by canonical folder, relative path and hash of the text. */
import { readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../base/atomic-file.ts';
import { canonicalFolder } from '../base/disk-lookups.ts';
import { TriadError } from '../base/errors.ts';
import { refuseWriteFault } from '../base/write-refusals.ts';
import { sha256 } from '../base/hash.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import { TRUST_FILE } from '../settings/guarded-files.ts';
import { AllowedTexts } from './allowed-texts.ts';
import { TrustedTexts } from './trusted-texts.ts';

/** What a trusted folder's files were when they were looked at: hashes by path, relative to it. */
const TrustedFolder = z.object({ at: z.string(), files: z.record(z.string(), z.string()) });
type TrustedFolder = z.infer<typeof TrustedFolder>;
const TrustFile = z.record(z.string(), TrustedFolder);
type TrustFile = z.infer<typeof TrustFile>;

export type FileHashes = ReadonlyMap<string, string>;

/** `trust.json` in the data folder, mode 0600, with `trusted/` and `allowed-texts/` beside it. One process writes them at a time: the owner of that folder. */
export class Trust {
  readonly texts: TrustedTexts;
  readonly allowedTexts: AllowedTexts;
  readonly #path: string;
  readonly #changes = new SerialQueue();
  /** What the newest text of the file says. */
  #known: { text: string; all: TrustFile } | null = null;

  constructor(dataFolder: string) {
    this.#path = join(dataFolder, TRUST_FILE);
    this.texts = new TrustedTexts(join(dataFolder, 'trusted'));
    this.allowedTexts = new AllowedTexts(join(dataFolder, 'allowed-texts'));
  }

  /** Hashes of the trusted files of a folder, by relative path; empty where the trust file or the folder cannot be read. */
  async hashes(folder: string): Promise<FileHashes> {
    try {
      const all = await this.#read();
      if (Object.keys(all).length === 0) return new Map();
      const key = await canonicalFolder(folder);
      return new Map(Object.hasOwn(all, key) ? Object.entries(all[key]!.files) : []);
    } catch {
      return new Map();
    }
  }

  /** Whether the file of this relative path is trusted with the text of this hash. */
  async trusts(folder: string, path: string, hash: string): Promise<boolean> {
    return (await this.hashes(folder)).get(path) === hash;
  }

  /** Replaces what is trusted of a folder, and keeps the given texts for later diffs. Throws `bad_input` for a bad folder. */
  async set(folder: string, files: FileHashes, texts: readonly string[] = []): Promise<void> {
    const key = await canonicalFolder(folder);
    const at = new Date().toISOString();
    await this.#change((all) => ({ ...all, [key]: { at, files: Object.fromEntries(files) } }), texts);
  }

  /** Trusts one file of a folder with this text, beside what is trusted there already. */
  async add(folder: string, path: string, text: string): Promise<void> {
    const key = await canonicalFolder(folder);
    const at = new Date().toISOString();
    await this.#change(
      (all) => {
        const others = Object.hasOwn(all, key) ? all[key]!.files : {};
        return { ...all, [key]: { at, files: { ...others, [path]: sha256(text) } } };
      },
      [text],
    );
  }

  /** False where nothing of the folder was trusted. The folder need not exist any more. */
  async revoke(folder: string): Promise<boolean> {
    const key = await canonicalFolder(folder).catch(() => folder);
    let known = false;
    await this.#change((all) => {
      const { [key]: old, ...rest } = all;
      known = old !== undefined;
      return rest;
    });
    return known;
  }

  async list(): Promise<{ folder: string; at: string; files: string[] }[]> {
    return Object.entries(await this.#read()).map(([folder, { at, files }]) => {
      return { folder, at, files: Object.keys(files) };
    });
  }

  /** Runs changes one at a time: each reads the file, changes it and writes it. */
  #change(change: (all: TrustFile) => TrustFile, texts: readonly string[] = []): Promise<void> {
    return this.#changes.add(async () => {
      const next = change(await this.#read());
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      await this.texts.keep(texts);
      await writeAtomically(this.#path, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
      await this.texts.retain(new Set(Object.values(next).flatMap(({ files }) => Object.values(files))));
    });
  }

  async #read(): Promise<TrustFile> {
    await refuseWriteFault(this.#path);
    if (!statSync(this.#path, { throwIfNoEntry: false })) return {};
    // Of the program's own, and small.
    const text = readFileSync(this.#path, 'utf8');
    if (text === this.#known?.text) return this.#known.all;
    try {
      const all = TrustFile.parse(JSON.parse(text));
      this.#known = { text, all };
      return all;
    } catch (cause) {
      const message = `${this.#path} is damaged: remove it, and trust your folders again`;
      throw new TriadError('bad_input', message, { cause });
    }
  }
}
