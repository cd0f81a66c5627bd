/** What a person sees of a write before it happens: a unified diff from what is on disk to what would be there. */
import { isUtf8 } from 'node:buffer';
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatch } from 'diff';
import type { Preview } from '#contract/approval.ts';
import { redactLines } from '../base/redact.ts';
import { sha256 } from '../base/hash.ts';

/** Above this, in bytes of either side, a note stands for the diff. */
const MAX_DIFFED = 512 * 1024;
/** Beyond so many changed lines the diff takes out all old lines and puts in all new ones: whole, only less fine. */
const MAX_EDITS = 600;

export interface WritePreview extends Preview {
  beforeHash: string | null;
  /** The diff shows all that is lost and all that is new. */
  complete: boolean;
}

/** Returns the preview of a write, without the keys of the file. `before`: null for a new file. Yields to other work. */
export async function previewWrite(path: string, before: Buffer | null, content: string): Promise<WritePreview> {
  const created = before === null;
  const beforeHash = before === null ? null : sha256(before);
  const note = noteInstead(path, before, content);
  if (note !== null) return { path, diff: note, added: 0, removed: 0, created, beforeHash, complete: false };
  const patch = await patchOf(path, before?.toString('utf8') ?? null, content);
  redactPatch(patch, before?.toString('utf8') ?? '', null);
  patch.oldFileName = created ? '/dev/null' : `a/${path}`;
  patch.newFileName = `b/${path}`;
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    path,
    diff: formatPatch(patch, FILE_HEADERS_ONLY),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    created,
    beforeHash,
    complete: true,
  };
}

/** The difference in hunks: fine where there is not too much of it, else one that replaces all. `before`: null where nothing is. */
export async function patchOf(path: string, before: string | null, after: string): Promise<StructuredPatch> {
  const fine = before === null ? null : await compare(path, before, after);
  return fine ?? replaceAll(path, before ?? '', after);
}

/**
 * Redacts the keys in the lines of a patch. `after`: the text after the change; null for a proposal. In a proposal, added lines
 * lose only the keys of `before`, because the person must see all other text.
 */
export function redactPatch({ hunks }: StructuredPatch, before: string, after: string | null): void {
  const oldText = redactLines(before.split('\n'));
  const oldKeys = [...oldText.keys].filter(([key]) => /^\S{8,}$/.test(key));
  const hideRepeated = (line: string): string => {
    const repeated = [...redactLines([line.slice(1)]).keys].filter(([key]) => oldText.keys.has(key));
    return [...oldKeys, ...repeated].reduce((all, [key, placeholder]) => all.replaceAll(key, placeholder), line);
  };
  const newLines = after === null ? null : redactLines(after.split('\n')).lines;
  for (const hunk of hunks) {
    let [oldLine, newLine] = [Math.max(0, hunk.oldStart - 1), Math.max(0, hunk.newStart - 1)];
    hunk.lines = hunk.lines.map((line) => {
      const sign = line[0];
      if (sign === '\\') return line;
      if (sign !== '+') {
        if (sign === ' ') newLine++;
        return `${sign}${oldText.lines[oldLine++]}`;
      }
      const clean = newLines?.[newLine++];
      return clean === undefined ? hideRepeated(line) : `+${clean}`;
    });
  }
}

/** Whether lines of it can be shown. */
export function isShownByLine(bytes: Buffer): boolean {
  return bytes.length <= MAX_DIFFED && isUtf8(bytes) && !bytes.includes(0);
}

function noteInstead(path: string, before: Buffer | null, content: string): string | null {
  const size = Buffer.byteLength(content);
  const old = before === null ? 'a new file' : `${before.length} bytes`;
  if (size <= MAX_DIFFED && (before?.length ?? 0) <= MAX_DIFFED) {
    if (before === null || (isUtf8(before) && !before.includes(0))) return null;
    return `${path} is a binary file (${old}). It would be replaced by ${size} bytes of text.`;
  }
  return `${path} is too large to show the change line by line: ${old} → ${size} bytes.`;
}

/** Null where the texts differ in too many lines. */
async function compare(path: string, before: string, after: string): Promise<StructuredPatch | null> {
  return new Promise((resolve) => {
    const options = {
      context: 3,
      maxEditLength: MAX_EDITS,
      callback: (patch?: StructuredPatch) => resolve(patch ?? null),
    };
    structuredPatch(path, path, before, after, undefined, undefined, options);
  });
}

function replaceAll(path: string, before: string, after: string): StructuredPatch {
  const old = linesOf(before, '-');
  const fresh = linesOf(after, '+');
  const hunk = {
    // The formatter itself counts an empty side from 0.
    oldStart: 1,
    oldLines: old.count,
    newStart: 1,
    newLines: fresh.count,
    lines: [...old.lines, ...fresh.lines],
  };
  const hunks = hunk.lines.length === 0 ? [] : [hunk];
  return { oldFileName: path, newFileName: path, oldHeader: undefined, newHeader: undefined, hunks };
}

function linesOf(text: string, sign: '+' | '-'): { count: number; lines: string[] } {
  if (text === '') return { count: 0, lines: [] };
  const lines = text.split('\n');
  const ended = lines.at(-1) === '';
  if (ended) lines.pop();
  const signed = lines.map((line) => sign + line);
  return { count: lines.length, lines: ended ? signed : [...signed, '\\ No newline at end of file'] };
}
