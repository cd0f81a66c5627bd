/**
 * A model of a disk that loses its power. It executes recorded operations on files and builds the folder as it can be
 * afterwards: an operation is durable if its file, or the folder of its name, was synced later. Other operations are
 * dropped, or kept in part.
 */
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../../soak/random.ts';

/** `start`: number of operations that had ended when this one started; default: all before it. */
export type Operation =
  | { kind: 'create' | 'mkdir' | 'remove'; path: string }
  | { kind: 'rename'; from: string; to: string }
  /** `at` is null for an append. */
  | { kind: 'write'; path: string; at: number | null; data: Uint8Array }
  | { kind: 'copy'; from: string; path: string; at: number | null; fromAt: number | null; bytes: number }
  | { kind: 'truncate'; path: string; bytes: number }
  | { kind: 'sync'; path: string; start?: number }
  /** A line that the program printed: what it promised by then. */
  | { kind: 'line'; text: string };

interface DataChange {
  index: number;
  /** Null for a new length, which is `at`. */
  data: Uint8Array | null;
  at: number;
}

class RecordedFile {
  readonly base: Buffer;
  readonly changes: DataChange[] = [];
  size: number;
  /** Number of the first operation that no sync covers. */
  syncedTo = 0;

  constructor(base = Buffer.alloc(0)) {
    this.base = base;
    this.size = base.length;
  }

  write(index: number, at: number, data: Uint8Array): void {
    this.changes.push({ index, at, data });
    this.size = Math.max(this.size, at + data.length);
  }

  truncate(index: number, bytes: number): void {
    this.changes.push({ index, at: bytes, data: null });
    this.size = bytes;
  }

  /** Content with every change for which `keep` returns a number of bytes; null drops the change. */
  content(keep: (change: DataChange) => number | null): Buffer {
    const largest = Math.max(this.base.length, ...this.changes.map(({ at, data }) => at + (data?.length ?? 0)));
    const bytes = Buffer.alloc(largest);
    this.base.copy(bytes);
    let size = this.base.length;
    for (const change of this.changes) {
      const kept = keep(change);
      if (kept === null) continue;
      if (change.data === null) {
        bytes.fill(0, change.at);
        size = change.at;
      } else if (kept > 0) {
        bytes.set(change.data.subarray(0, kept), change.at);
        size = Math.max(size, change.at + kept);
      }
    }
    return bytes.subarray(0, size);
  }
}

class RecordedFolder {
  readonly names = new Map<string, RecordedFile | RecordedFolder>();
  syncedTo = 0;
}

interface NameChange {
  index: number;
  parent: RecordedFolder;
  name: string;
  /** Null for a deletion. */
  node: RecordedFile | RecordedFolder | null;
  /** Name that a rename removes. */
  before?: { parent: RecordedFolder; name: string };
}

/** Returns the folder of the file system, as operations before all others. */
export function readTree(folder: string): Operation[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return [
    { kind: 'mkdir', path: folder },
    ...entries.flatMap((entry): Operation[] => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return readTree(path);
      return [
        { kind: 'create', path },
        { kind: 'write', path, at: 0, data: readFileSync(path) },
      ];
    }),
  ];
}

export class Disk {
  readonly #root = new RecordedFolder();
  readonly #top: string;
  readonly #names: NameChange[] = [];
  readonly #isDurable: number;
  #index = 0;

  /** `top`: the recorded folder. `initial`: operations that are durable from the start. */
  constructor(top: string, initial: readonly Operation[]) {
    this.#top = top;
    for (const operation of initial) this.apply(operation);
    this.#isDurable = this.#index;
  }

  apply(operation: Operation): void {
    const index = this.#index;
    this.#index += 1;
    switch (operation.kind) {
      case 'line':
        return;
      case 'create':
        if (this.#find(operation.path) === null) this.#setName(index, operation.path, new RecordedFile());
        return;
      case 'mkdir':
        if (operation.path !== this.#top && this.#find(operation.path) === null)
          this.#setName(index, operation.path, new RecordedFolder());
        return;
      case 'remove':
        return this.#setName(index, operation.path, null);
      case 'rename':
        return this.#rename(index, operation.from, operation.to);
      case 'sync': {
        const node = this.#find(operation.path);
        if (node)
          node.syncedTo = Math.max(node.syncedTo, this.#isDurable + (operation.start ?? index - this.#isDurable));
        return;
      }
      case 'truncate':
        return this.#file(operation.path)?.truncate(index, operation.bytes);
      case 'write': {
        const file = this.#file(operation.path);
        return file?.write(index, operation.at ?? file.size, operation.data);
      }
      case 'copy': {
        const [file, source] = [this.#file(operation.path), this.#file(operation.from)];
        if (!file || !source) return;
        const from = operation.fromAt ?? 0;
        const data = source.content(({ data }) => data?.length ?? 0).subarray(from, from + operation.bytes);
        return file.write(index, operation.at ?? file.size, data);
      }
    }
  }

  /** Writes the folder as it is after a loss of power. `random` keeps a part of what is not durable; null drops it all. */
  build(target: string, random: Random | null): void {
    const first = this.#names.find((change) => !this.#isNameDurable(change))?.index ?? this.#index;
    // File systems write changes of names in order.
    const namesTo = random === null ? 0 : random.between(first, this.#index);
    const names = new Map<RecordedFolder, Map<string, RecordedFile | RecordedFolder>>();
    const of = (folder: RecordedFolder) => names.get(folder) ?? names.set(folder, new Map()).get(folder)!;
    for (const change of this.#names) {
      if (!this.#isNameDurable(change) && change.index >= namesTo) continue;
      if (change.before) of(change.before.parent).delete(change.before.name);
      if (change.node) of(change.parent).set(change.name, change.node);
      else of(change.parent).delete(change.name);
    }
    const write = (folder: RecordedFolder, path: string): void => {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      for (const [name, node] of of(folder)) {
        const place = join(path, name);
        if (node instanceof RecordedFolder) write(node, place);
        else
          writeSparse(
            place,
            node.content((change) => this.#keptBytes(node, change, random)),
          );
      }
    };
    write(this.#root, target);
  }

  #keptBytes(file: RecordedFile, { index, data }: DataChange, random: Random | null): number | null {
    const length = data?.length ?? 0;
    if (index < this.#isDurable || index < file.syncedTo) return length;
    if (random === null || random.chance(0.3)) return null;
    return random.chance(0.5) ? length : random.between(0, length);
  }

  #isNameDurable({ index, parent }: NameChange): boolean {
    return index < this.#isDurable || index < parent.syncedTo;
  }

  #setName(index: number, path: string, node: RecordedFile | RecordedFolder | null): void {
    const parent = this.#folder(dirname(path));
    const name = path.slice(dirname(path).length + 1);
    if (!parent) return;
    this.#names.push({ index, parent, name, node });
    if (node) parent.names.set(name, node);
    else parent.names.delete(name);
  }

  #rename(index: number, from: string, to: string): void {
    const node = this.#find(from);
    const [source, parent] = [this.#folder(dirname(from)), this.#folder(dirname(to))];
    if (!node || !source || !parent) return;
    const [before, name] = [from.slice(dirname(from).length + 1), to.slice(dirname(to).length + 1)];
    this.#names.push({ index, parent, name, node, before: { parent: source, name: before } });
    source.names.delete(before);
    parent.names.set(name, node);
  }

  #find(path: string): RecordedFile | RecordedFolder | null {
    if (path === this.#top) return this.#root;
    if (!path.startsWith(`${this.#top}/`)) return null;
    let node: RecordedFile | RecordedFolder | undefined = this.#root;
    for (const name of path.slice(this.#top.length + 1).split('/'))
      node = node instanceof RecordedFolder ? node.names.get(name) : undefined;
    return node ?? null;
  }

  #file(path: string): RecordedFile | null {
    const node = this.#find(path);
    return node instanceof RecordedFile ? node : null;
  }

  #folder(path: string): RecordedFolder | null {
    const node = this.#find(path);
    return node instanceof RecordedFolder ? node : null;
  }
}

/** A journal file is mostly zeros. */
function writeSparse(path: string, content: Buffer): void {
  let end = content.length;
  while (end > 0 && content[end - 1] === 0) end -= 1;
  writeFileSync(path, content.subarray(0, end), { mode: 0o600 });
  truncateSync(path, content.length);
}
