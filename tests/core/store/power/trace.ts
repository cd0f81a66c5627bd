/** Reads the changes of files from the output of strace, of all processes and threads, in the order in which they ended. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from './disk.ts';

const CALLS = [
  ...['openat', 'open', 'creat', 'write', 'pwrite64', 'writev', 'pwritev', 'ftruncate', 'rename', 'renameat'],
  ...['renameat2', 'unlink', 'unlinkat', 'rmdir', 'mkdir', 'mkdirat', 'link', 'linkat', 'fsync', 'fdatasync'],
  ...['copy_file_range', 'sendfile', 'ioctl'],
];

/** Arguments of strace before the program. Texts are hexadecimal, so that they contain none of its punctuation. */
export function straceArguments(output: string): string[] {
  const texts = ['-xx', '-s', String(2 ** 28)];
  return ['-f', '-y', ...texts, '--seccomp-bpf', '-e', `trace=${CALLS.join()}`, '-e', 'signal=none', '-o', output];
}

const UNFINISHED = ' <unfinished ...>';

/** Reads the changes in the folder `top`. `linesFile`: the file to which the program appends what it promises. */
export function readTrace(path: string, top: string, linesFile: string): Operation[] {
  const operations: Operation[] = [];
  const unfinished = new Map<string, { text: string; start: number }>();
  for (const line of splitLines(readFileSync(path))) {
    const space = line.indexOf(' ');
    const thread = line.slice(0, space);
    let text = line.slice(space).trimStart();
    let start = operations.length;
    if (text.endsWith(UNFINISHED)) {
      unfinished.set(thread, { text: text.slice(0, -UNFINISHED.length), start });
      continue;
    }
    if (text.startsWith('<... ')) {
      const begin = unfinished.get(thread);
      if (!begin) continue;
      text = begin.text + text.slice(text.indexOf('>') + 1);
      start = begin.start;
    }
    operations.push(...readCall(text, start, linesFile).filter((operation) => isIn(top, operation)));
  }
  return operations;
}

function isIn(top: string, operation: Operation): boolean {
  if (operation.kind === 'line') return true;
  const path = operation.kind === 'rename' ? operation.to : operation.path;
  return path === top || path.startsWith(`${top}/`);
}

/** A trace is longer than a string can be. */
function* splitLines(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(10, from);
    yield bytes.toString('latin1', from, end < 0 ? bytes.length : end);
    from = end < 0 ? bytes.length : end + 1;
  }
}

function readCall(text: string, start: number, linesFile: string): Operation[] {
  const name = text.slice(0, text.indexOf('('));
  const end = text.lastIndexOf(') ');
  const result = Number.parseInt(text.slice(text.lastIndexOf('= ') + 2), 10);
  // A failed call changes nothing.
  if (end < 0 || Number.isNaN(result) || result < 0) return [];
  const parts = text.slice(name.length + 1, end).split(', ');
  const [first = '', second = '', third = ''] = parts;
  switch (name) {
    case 'open':
    case 'creat':
    case 'openat':
      return opened(name === 'openat' ? at(first, second) : decode(first), text);
    case 'write':
    case 'writev':
    case 'pwrite64':
    case 'pwritev': {
      const file = descriptor(first);
      const data = Buffer.concat(quoted(text.slice(0, end)).map(bytesOf)).subarray(0, result);
      if (file === linesFile) return [{ kind: 'line', text: data.toString() }];
      return [{ kind: 'write', path: file, at: name.startsWith('p') ? Number(parts.at(-1)) : null, data }];
    }
    case 'ftruncate':
      return [{ kind: 'truncate', path: descriptor(first), bytes: Number(second) }];
    case 'mkdir':
      return [{ kind: 'mkdir', path: decode(first) }];
    case 'mkdirat':
      return [{ kind: 'mkdir', path: at(first, second) }];
    case 'unlink':
    case 'rmdir':
      return [{ kind: 'remove', path: decode(first) }];
    case 'unlinkat':
      return [{ kind: 'remove', path: at(first, second) }];
    case 'rename':
      return [{ kind: 'rename', from: decode(first), to: decode(second) }];
    case 'renameat':
    case 'renameat2':
      return [{ kind: 'rename', from: at(first, second), to: at(third, parts[3] ?? '') }];
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'sync', path: descriptor(first), start }];
    case 'copy_file_range':
    case 'sendfile': {
      const [from, to] = name === 'sendfile' ? [second, first] : [first, third];
      const fromAt = /\[(\d+)/.exec(name === 'sendfile' ? third : second)?.[1];
      const copied = { from: descriptor(from), path: descriptor(to), bytes: result };
      return [{ kind: 'copy', ...copied, at: null, fromAt: fromAt === undefined ? null : Number(fromAt) }];
    }
    case 'ioctl':
      if (!second.startsWith('FICLONE')) return [];
      return [{ kind: 'copy', from: descriptor(third), path: descriptor(first), bytes: 2 ** 40, at: 0, fromAt: 0 }];
    default:
      throw new Error(`A change of a file is not understood: ${text.slice(0, 200)}`);
  }
}

function opened(path: string, text: string): Operation[] {
  const operations: Operation[] = [];
  if (text.includes('O_CREAT') || text.startsWith('creat')) operations.push({ kind: 'create', path });
  if (text.includes('O_TRUNC') || text.startsWith('creat')) operations.push({ kind: 'truncate', path, bytes: 0 });
  return operations;
}

/** The texts in quotation marks, with their hexadecimal digits. */
function quoted(text: string): string[] {
  const texts: string[] = [];
  for (let from = text.indexOf('"'); from >= 0;) {
    const end = text.indexOf('"', from + 1);
    texts.push(text.slice(from + 1, end));
    from = text.indexOf('"', end + 1);
  }
  return texts;
}

/** Each byte is `\x` and two digits. */
function bytesOf(hex: string): Buffer {
  const bytes = Buffer.alloc(hex.length / 4);
  const digit = (at: number) => {
    const code = hex.charCodeAt(at);
    return code < 58 ? code - 48 : code - 87;
  };
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = digit(4 * index + 2) * 16 + digit(4 * index + 3);
  return bytes;
}

/** A path in quotation marks. */
const decode = (text: string): string => bytesOf(quoted(text)[0] ?? '').toString();

/** Path of an open file, as `3<…>`. */
function descriptor(text: string): string {
  return bytesOf(text.slice(text.indexOf('<') + 1, text.lastIndexOf('>'))).toString();
}

/** A path that may be relative to an open folder. */
function at(folder: string, path: string): string {
  const relative = decode(path);
  return relative.startsWith('/') ? relative : join(descriptor(folder), relative);
}
