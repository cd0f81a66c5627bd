/** Text files through the editor of a client that lends it: what is not saved yet is seen, and a write goes to where the person types. */
import { isUtf8 } from 'node:buffer';
import { TriadError } from '../../base/errors.ts';
import type { Lender, Lending } from './lenders.ts';

/** A larger file is read and written on the disk, in bytes. */
export const MAX_LENT_BYTES = 2 * 1024 * 1024;
/** How long the editor has for one file, in milliseconds. */
const FILE_MS = 10_000;

/** Whether an editor could have it: editors show text. */
export function isEditable(bytes: Buffer): boolean {
  return bytes.length <= MAX_LENT_BYTES && isUtf8(bytes) && !bytes.includes(0);
}

/**
 * What the editor has of a file with these bytes on the disk: exactly those where nothing is unsaved (also where the
 * editor leaves out a mark or counts line ends as one), or where nobody lends an editor, or no editor could have it.
 * `path`: canonical, and checked like one that is read. Throws what `Lender.call` throws.
 */
export async function shownInEditor(
  lent: Lending,
  { path, disk }: { path: string; disk: Buffer },
  signal: AbortSignal,
): Promise<Buffer> {
  const editor = isEditable(disk) ? lent('read') : null;
  if (editor === null) return disk;
  const { text } = await editor.call('read-file', { path }, { signal, ms: FILE_MS });
  const saved = disk.toString('utf8');
  if (plain(text) === plain(saved)) return disk;
  const lines = saved.includes('\r\n') && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text;
  const shown = Buffer.from(saved.startsWith(MARK) && !lines.startsWith(MARK) ? MARK + lines : lines);
  if (shown.length > MAX_LENT_BYTES)
    throw new TriadError('bad_input', `The editor has more than ${MAX_LENT_BYTES} bytes of ${path}, unsaved: save it`);
  return shown;
}

/**
 * Writes it once, whatever the signal of a run says by then. Throws `bad_request` where the client refuses, and
 * `disconnected` where nobody knows whether it wrote.
 */
export async function writeInEditor(editor: Lender, path: string, text: Buffer): Promise<void> {
  try {
    const input = { path, text: text.toString('utf8') };
    await editor.call('write-file', input, { signal: new AbortController().signal, ms: FILE_MS });
  } catch (error) {
    if (!(error instanceof TriadError) || error.code === 'bad_request') throw error;
    throw new TriadError('disconnected', `${error.message}: nobody knows whether ${path} was written. Read it`);
  }
}

/** Whether two texts differ at most in what editors leave out. */
export function isSameText(a: Buffer, b: Buffer): boolean {
  return a.equals(b) || plain(a.toString('utf8')) === plain(b.toString('utf8'));
}

const MARK = '\uFEFF';

function plain(text: string): string {
  return (text.startsWith(MARK) ? text.slice(1) : text).replaceAll('\r\n', '\n');
}
