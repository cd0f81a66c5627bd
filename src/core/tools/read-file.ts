/** The tool that reads a text file of the workspace, page by page. */
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { TriadError } from '../base/errors.ts';
import { READ_ONLY } from './traits.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool, type Tool } from './tool.ts';
import { fileTargets, openInside, shownPath } from '../workspace/places.ts';
import { stampOf } from '../workspace/stamp.ts';

const MAX_BYTES = 256 * 1024;
const MAX_LINES = 5000;
const CHUNK = 64 * 1024;
const NEWLINE = 10;

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe('The file, relative to the workspace folder.'),
  offset: z.int().min(1).optional().describe('First line to return, counted from 1. Default: 1.'),
  limit: z
    .int()
    .min(1)
    .max(MAX_LINES)
    .optional()
    .describe(`How many lines to return. Default: as many as fit, at most ${MAX_LINES}.`),
});

export function readFileTool(): Tool {
  return defineTool<z.infer<typeof Input>>({
    ...READ_ONLY,
    name: 'read_file',
    describe: () =>
      'Reads a text file of the workspace and returns its lines as they are, without numbers. ' +
      `Returns at most ${MAX_LINES} lines and ${MAX_BYTES / 1024} KiB; a note at the end says where to go on with offset. ` +
      'Binary files, and files that hold keys or passwords, are refused.',
    input: Input,
    targets: (input, workspace) => fileTargets(workspace, input.path),
    execute: (input, context) =>
      toToolResult(context, async () => {
        const file = await openInside(context.workspace, input.path);
        try {
          const first = input.offset ?? 1;
          // What changes while it is read is not what was seen.
          const stats = await file.handle.stat({ bigint: true });
          const page = await readPage(file.handle, first, input.limit ?? MAX_LINES, context.signal);
          if (page.binary)
            throw new TriadError('bad_input', `${input.path} is a binary file (${file.stats.size} bytes)`);
          const path = await shownPath(context.workspace.folder, file.path);
          return {
            status: 'completed',
            output: render(page, first, file.stats.size),
            metadata: {
              path,
              from: first,
              lines: page.lines,
              bytes: page.bytes.length,
              truncated: page.more,
              stamp: stampOf(first === 1 && !page.more ? page.bytes : stats),
            },
          };
        } finally {
          await file.handle.close();
        }
      }),
  });
}

interface Page {
  bytes: Buffer;
  lines: number;
  /** Something follows the page. */
  more: boolean;
  /** The page ends within a line that is too long for it. */
  cut: boolean;
  /** Lines of the whole file, where it was read to its end. */
  total: number | null;
  binary: boolean;
}

/** Reads no further than the page needs, and holds no more than the page. */
async function readPage(handle: FileHandle, first: number, limit: number, signal: AbortSignal): Promise<Page> {
  const buffer = Buffer.alloc(CHUNK);
  const kept: Buffer[] = [];
  let size = 0;
  let line = 1;
  let position = 0;
  let atLineStart = true;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
    const chunk = buffer.subarray(0, bytesRead);
    if (bytesRead === 0) return finish(kept, { more: false, total: line - (atLineStart ? 1 : 0) });
    if (chunk.includes(0)) return { ...finish(kept, { more: false, total: null }), binary: true };
    let start = 0;
    while (start < bytesRead) {
      if (line >= first + limit) return finish(kept, { more: true, total: null });
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 ? bytesRead : newline + 1;
      if (line >= first) {
        const room = MAX_BYTES - size;
        kept.push(Buffer.from(chunk.subarray(start, Math.min(end, start + room))));
        size += Math.min(end - start, room);
        if (end - start > room) return finish(kept, { more: true, total: null });
      }
      atLineStart = newline >= 0;
      if (atLineStart) line++;
      start = end;
    }
    position += bytesRead;
  }
}

/** Where the page was cut within a line, that line is left for the next page, unless it is all there is. */
function finish(kept: readonly Buffer[], { more, total }: Pick<Page, 'more' | 'total'>): Page {
  let bytes: Buffer = Buffer.concat(kept);
  let cut = false;
  if (more && bytes.length > 0 && bytes.at(-1) !== NEWLINE) {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    cut = end === 0;
    bytes = bytes.subarray(0, cut ? startOfLastCharacter(bytes) : end);
  }
  return { bytes, lines: countLines(bytes), more, cut, total, binary: false };
}

/** Where a character begins that the end of the bytes may have cut. */
function startOfLastCharacter(bytes: Buffer): number {
  let end = bytes.length - 1;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return bytes.length === 0 || bytes.at(-1) === NEWLINE ? count : count + 1;
}

function render(page: Page, first: number, size: number): string {
  const text = page.bytes.toString('utf8');
  const notes: string[] = [];
  if (size === 0) return '[The file is empty.]';
  if (page.lines === 0 && page.total !== null)
    return `[The file has ${page.total} lines: nothing from line ${first} on.]`;
  if (page.cut) {
    notes.push(
      `Line ${first} is longer than ${MAX_BYTES / 1024} KiB: only its beginning is shown. Go on with offset ${first + 1}.`,
    );
  } else if (page.more) {
    notes.push(
      `Lines ${first} to ${first + page.lines - 1} of a file of ${size} bytes. Go on with offset ${first + page.lines}.`,
    );
  }
  if (text.includes('\uFFFD')) notes.push('Some bytes are not UTF-8 and are shown as \uFFFD.');
  return notes.length === 0 ? text : `${text}${text.endsWith('\n') ? '' : '\n'}[${notes.join(' ')}]`;
}
