/** Records the changes of files that Node makes in this process, and copies of the engine's files between transactions. */
import files, { type FileHandle } from 'node:fs/promises';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, resolve } from 'node:path';
import { serialize } from 'node:v8';
// oxlint-disable-next-line no-restricted-imports -- its transactions change the engine's files
import { Surreal } from 'surrealdb';
import type { Operation } from './disk.ts';

/** `database`: all that was committed is in this copy of the store's folder; null when a transaction starts. */
export type RecordedOperation = Operation | { kind: 'database'; copy: string | null };

type Work = (this: unknown, ...input: unknown[]) => unknown;

/** Replaces a method: `note` runs after it, with its input. */
function observe<T extends object>(target: T, name: keyof T, note: (input: unknown[], self: unknown) => void): void {
  const work = target[name] as Work;
  const observed = function observed(this: unknown, ...input: unknown[]): unknown {
    const done = work.apply(this, input);
    if (!(done instanceof Promise)) note(input, this);
    return done instanceof Promise ? done.then((value: unknown) => (note(input, this), value)) : done;
  };
  Object.assign(target, { [name]: observed });
}

type Add = (path: string, ...operations: Operation[]) => void;

/** Starts recording in `data`; the returned function writes the operations to the folder `recording`. */
export function record(data: string, lines: string, recording: string): () => void {
  const operations: RecordedOperation[] = [];
  const isRecorded = (path: string) =>
    path === data || (path.startsWith(`${data}/`) && !path.startsWith(join(data, 'store/')));
  const add: Add = (path, ...some) => {
    if (isRecorded(path)) operations.push(...some);
    else if (path === lines)
      for (const one of some)
        if (one.kind === 'write') operations.push({ kind: 'line', text: Buffer.from(one.data).toString() });
  };
  recordHandles(lines, add);
  for (const [target, suffix] of [
    [files, ''],
    [fs, 'Sync'],
  ] as const)
    recordPaths(target as unknown as Record<string, Work>, suffix, add);
  syncBuiltinESMExports();
  recordTransactions(join(data, 'store'), recording, operations);
  return () => fs.writeFileSync(join(recording, 'operations'), serialize(operations));
}

function created(path: string, flags: unknown): Operation[] {
  const mode = typeof flags === 'number' ? flags : flags === 'r' || flags === 'r+' ? 0 : fs.constants.O_CREAT;
  const isTruncated = (mode & fs.constants.O_TRUNC) !== 0 || flags === 'w' || flags === 'w+';
  return [
    ...((mode & fs.constants.O_CREAT) === 0 ? [] : [{ kind: 'create', path } as const]),
    ...(isTruncated ? [{ kind: 'truncate', path, bytes: 0 } as const] : []),
  ];
}

const bytesOf = (content: unknown): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as Buffer);

/** Records the work on open files. `existing`: path of any file. */
function recordHandles(existing: string, add: Add): void {
  const paths = new WeakMap<object, string>();
  const byDescriptor = new Map<number, string>();
  const of = (handle: unknown): string => paths.get(handle as object) ?? '';
  const { open } = files;
  const recordedOpen = async (...input: Parameters<typeof open>): Promise<FileHandle> => {
    const handle = await open(...input);
    const path = resolve(String(input[0]));
    paths.set(handle, path);
    byDescriptor.set(handle.fd, path);
    add(path, ...created(path, input[1] ?? 'r'));
    return handle;
  };
  const addWrite = (path: string, [content, from, length, at]: unknown[]): void => {
    const start = Number(from ?? 0);
    const bytes = bytesOf(content);
    const some = bytes.subarray(start, typeof length === 'number' ? start + length : bytes.length);
    add(path, { kind: 'write', path, at: (at as number | null | undefined) ?? null, data: some });
  };
  observe(fs, 'writeSync', ([fd, ...input]) => addWrite(byDescriptor.get(Number(fd)) ?? '', input));
  void open(existing, 'a').then(async (handle) => {
    const methods = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    observe(methods, 'write', (input, self) => addWrite(of(self), input));
    observe(methods, 'writeFile', ([data], self) =>
      add(of(self), { kind: 'write', path: of(self), at: null, data: bytesOf(data) }),
    );
    observe(methods, 'truncate', ([bytes], self) =>
      add(of(self), { kind: 'truncate', path: of(self), bytes: Number(bytes ?? 0) }),
    );
    for (const name of ['sync', 'datasync'] as const)
      observe(methods, name, (_, self) => add(of(self), { kind: 'sync', path: of(self) }));
  });
  Object.assign(files, { open: recordedOpen });
}

/** Records the functions that take paths. `suffix` of their names: `Sync`, or nothing. */
function recordPaths(target: Record<string, Work>, suffix: string, add: Add): void {
  observe(target, `mkdir${suffix}`, ([path]) => add(String(path), { kind: 'mkdir', path: String(path) }));
  observe(target, `rename${suffix}`, ([from, to]) =>
    add(String(from), { kind: 'rename', from: String(from), to: String(to) }),
  );
  observe(target, `rm${suffix}`, ([path]) => add(String(path), { kind: 'remove', path: String(path) }));
  observe(target, `writeFile${suffix}`, ([file, content, options]) => {
    const path = String(file);
    // An append is such a write too.
    const isAppend = typeof options === 'object' && options !== null && 'flag' in options && options.flag === 'a';
    const data = bytesOf(content);
    if (isAppend) add(path, { kind: 'create', path }, { kind: 'write', path, at: null, data });
    else add(path, ...created(path, 'w'), { kind: 'write', path, at: 0, data });
  });
}

/** Copies the store's folder when a transaction is committed: what the engine acknowledged is on the disk. */
function recordTransactions(store: string, recording: string, operations: RecordedOperation[]): void {
  type Query = (this: Surreal, sql: string, values?: Record<string, unknown>) => { responses: () => Promise<unknown> };
  // oxlint-disable-next-line typescript/unbound-method -- it is called as it was
  const query: Query = Surreal.prototype.query;
  let copies = 0;
  const recorded: Query = function recorded(sql, values) {
    const asked = query.call(this, sql, values);
    const responses = asked.responses.bind(asked);
    // Reads do not ask for them.
    asked.responses = async () => {
      operations.push({ kind: 'database', copy: null });
      const found = await responses();
      const copy = join(recording, String(copies++));
      fs.cpSync(store, copy, { recursive: true });
      operations.push({ kind: 'database', copy });
      return found;
    };
    return asked;
  };
  Object.assign(Surreal.prototype, { query: recorded });
}
