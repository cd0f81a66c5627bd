/** The lines of files that match a regular expression. */
import { closeSync, fstatSync, readSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { cutAtCodePoint } from '../../base/text.ts';
import type { protectedFiles } from '../../workspace/hard-links.ts';
import { HeldFolder } from '../../workspace/held-folder.ts';
import { openInside } from '../../workspace/places.ts';
import type { Workspace } from '../../workspace/reach.ts';
import { isSecret } from '../../workspace/secret-names.ts';
import { type Mark, MAX_LINE_CHARS } from './search.ts';

const CHUNK = 64 * 1024;
/** Of a longer line only the beginning is searched. */
const MAX_SEARCHED_CHARS = 256 * 1024;
/** An excerpt starts before the name of the value that it starts with. */
const NAME_CHARS = 40;
/** A longer word is no key. */
const MAX_WORD_CHARS = 2000;
const WORD_BREAK = /[\s"'`<>(){}[\],;]/;
/** Folders in hand at a time. */
const MAX_HELD = 32;

const buffer = Buffer.allocUnsafe(CHUNK);

/** As Unicode where it is valid so; the older reading allows escapes such as `\-` that people write. Throws where it is none. */
export function compile(pattern: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? 'i' : '';
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return new RegExp(pattern, flags);
  }
}

/** As `path:line:text`. */
export interface Hit {
  line: string;
  mark: Mark;
}

/** The caller closes it. */
export class LineSearch {
  readonly #workspace: Workspace;
  readonly #expression: RegExp;
  readonly #protect: typeof protectedFiles;
  readonly #held = new Map<string, HeldFolder | null>();

  constructor(workspace: Workspace, expression: RegExp, protect: typeof protectedFiles) {
    this.#workspace = workspace;
    this.#expression = expression;
    this.#protect = protect;
  }

  mayRead(path: string): boolean {
    return !isSecret(this.#workspace, join(this.#workspace.folder, path));
  }

  /** The first `max` lines of a file that was found. Nothing for binary files and for those that may not be read. */
  async find(path: string, max: number): Promise<Hit[]> {
    if (!this.mayRead(path)) return [];
    const file = this.#folder(dirname(join(this.#workspace.folder, path)))?.openFile(basename(path));
    if (!file) return [];
    try {
      return (await this.#isProtected(file)) ? [] : this.#linesOf(file.fd, path, max);
    } finally {
      closeSync(file.fd);
    }
  }

  /** The same for a file that was asked for by name: throws where it may not be read. */
  async findIn(path: string, max: number): Promise<Hit[]> {
    const { handle } = await openInside(this.#workspace, path, this.#protect);
    try {
      return this.#linesOf(handle.fd, path, max);
    } finally {
      await handle.close();
    }
  }

  close(): void {
    for (const folder of this.#held.values()) folder?.close();
    this.#held.clear();
  }

  #folder(path: string): HeldFolder | null {
    const held = this.#held.get(path);
    if (held !== undefined) return held;
    const [first] = this.#held.keys();
    if (first !== undefined && this.#held.size >= MAX_HELD) {
      this.#held.get(first)?.close();
      this.#held.delete(first);
    }
    const folder = HeldFolder.open(this.#workspace, path);
    this.#held.set(path, folder);
    return folder;
  }

  /** A hard link is the file itself, which may have a name that is closed. */
  async #isProtected({ fd, stats }: { fd: number; stats: Stats }): Promise<boolean> {
    if (stats.nlink <= 1) return false;
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return (await this.#protect(this.#workspace))?.has(`${dev}:${ino}`) ?? true;
  }

  #linesOf(fd: number, path: string, max: number): Hit[] {
    const found: Hit[] = [];
    let number = 0;
    for (const line of linesIn(fd)) {
      if (found.length >= max) break;
      number++;
      const match = this.#expression.exec(line);
      if (match) found.push(hitOf(`${path}:${number}:`, line, match));
    }
    return found;
  }
}

/** The whole line, or the part around the match, of which the end may be cut. */
function hitOf(place: string, line: string, { index, 0: match }: RegExpExecArray): Hit {
  const { text, skipped } = excerpt(line, index);
  const start = Math.min(index - skipped, text.length);
  const end = Math.min(start + match.length, text.length);
  return { line: place + text, mark: [place.length + start, place.length + end] };
}

/** `skipped`: by how much the text begins later than the line. */
function excerpt(line: string, index: number): { text: string; skipped: number } {
  if (line.length <= MAX_LINE_CHARS) return { text: line, skipped: 0 };
  const isNearStart = index < MAX_LINE_CHARS - 100;
  const start = isNearStart ? 0 : findWordStart(line, findWordStart(line, index - 100 + NAME_CHARS) - NAME_CHARS);
  const max = isNearStart ? MAX_LINE_CHARS : index - 100 - start + MAX_LINE_CHARS;
  const text = line.slice(start).toWellFormed();
  const [before, after] = [start > 0 ? '…' : '', text.length > max ? '…' : ''];
  return { text: `${before}${cutAtCodePoint(text, max)}${after}`, skipped: start - before.length };
}

/** Returns where the word around a position starts, so that no excerpt starts within a key. */
function findWordStart(line: string, at: number): number {
  let start = Math.max(0, at);
  while (start > 0 && at - start < MAX_WORD_CHARS && !WORD_BREAK.test(line[start - 1]!)) start--;
  return at - start < MAX_WORD_CHARS ? start : Math.max(0, at);
}

/** Nothing for a binary file: one with a NUL byte near its beginning. One file at a time. */
function* linesIn(fd: number): Generator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for (let position = 0; ;) {
    const bytesRead = readSync(fd, buffer, 0, CHUNK, position);
    const chunk = buffer.subarray(0, bytesRead);
    if (position === 0 && chunk.includes(0)) return;
    position += bytesRead;
    const lines = (rest + (bytesRead === 0 ? decoder.end() : decoder.write(chunk))).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield (line.endsWith('\r') ? line.slice(0, -1) : line).slice(0, MAX_SEARCHED_CHARS);
    if (bytesRead === 0) break;
    if (rest.length > MAX_SEARCHED_CHARS) rest = rest.slice(0, MAX_SEARCHED_CHARS);
  }
  if (rest !== '') yield rest;
}
