/** What a model gets of an output that is too long for it: its beginning, its end, and how to read the rest. */
import { cutAtBytes } from '../base/text.ts';

/** A longer output is kept whole, and handed on in parts; in bytes of UTF-8. */
export const MAX_OUTPUT_BYTES = 50 * 1024;
const HEAD_BYTES = 24 * 1024;
const TAIL_BYTES = 16 * 1024;

export const READ_OUTPUT = 'read_output';

/** `keep` resolves when the whole text is kept. A shorter one is handed on as it is, and not kept. */
export async function handedOn(output: string, toolCallId: string, keep: () => Promise<void>): Promise<string> {
  const bytes = Buffer.byteLength(output);
  if (bytes <= MAX_OUTPUT_BYTES) return output;
  const head = wholeLines(cutAtBytes(output, HEAD_BYTES));
  const tail = lastLines(output);
  const cut = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
  const isKept = await keep().then(
    () => true,
    () => false,
  );
  return `${head}\n${leftOut({ head, cut, bytes }, isKept ? toolCallId : null)}\n${tail}`;
}

/** What stands where bytes are left out behind the head; `toolCallId`: null where the whole is not kept. */
export function leftOut(
  { head, cut, bytes }: { head: string; cut: number; bytes: number },
  toolCallId: string | null,
): string {
  const from = linesIn(head) + (head.endsWith('\n') || head === '' ? 1 : 0);
  const rest =
    toolCallId === null
      ? 'they could not be kept: make the call again with less to say'
      : `${READ_OUTPUT} ${JSON.stringify({ call: toolCallId, offset: from })} gives them`;
  return `[${cut} of ${bytes} bytes, from line ${from} on, are left out; ${rest}.]`;
}

/** Without the part of a line at the end, unless that is all there is. */
function wholeLines(text: string): string {
  const end = text.lastIndexOf('\n') + 1;
  return end === 0 ? text : text.slice(0, end);
}

/** Whole lines, unless the last one is longer. */
function lastLines(text: string): string {
  const bytes = Buffer.from(text.slice(-TAIL_BYTES));
  let start = Math.max(0, bytes.length - TAIL_BYTES);
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  const tail = bytes.subarray(start).toString();
  const line = tail.indexOf('\n') + 1;
  return line === 0 || line === tail.length ? tail : tail.slice(line);
}

function linesIn(text: string): number {
  const count = text.split('\n').length;
  return text.endsWith('\n') ? count - 1 : count;
}
