/** Reads a whole text file with its keys, after the person allowed exactly this content. */
import type { Approval } from '#contract/approval.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { TriadError } from '../../base/errors.ts';
import { canonicalHash, sha256 } from '../../base/hash.ts';
import { nameKeys } from '../../base/redact.ts';
import { openInside, shownPath } from '../../workspace/places.ts';
import { stampOf } from '../../workspace/stamp.ts';
import { asked } from '../asked.ts';
import type { Question, QuestionContext } from '../tool.ts';
import { type Encoding, TextFile } from './encoding.ts';

export const READ_FILE = 'read_file';
/** A larger file is not read with its keys. */
const MAX_BYTES = 8 * 1024 * 1024;

type KeyContext = Pick<QuestionContext, 'workspace' | 'signal' | 'files'>;

interface WholeText {
  /** Relative to the workspace. */
  path: string;
  /** The text in UTF-8. */
  bytes: Buffer;
  encoding: Encoding;
  stamp: string;
  /** Hash of `bytes`. */
  hash: string;
  /** Names of the keys in the text. */
  keys: string[];
}

/** Returns null if the file has no keys, or if the person allowed this content in this conversation. */
export async function askForKeys(input: { path: string }, context: KeyContext): Promise<Question | null> {
  const { path, hash, keys } = await readWhole(input.path, context);
  if (keys.length === 0 || context.files.unredacted.has(path, hash)) return null;
  return {
    ...asked(phrase('read_unredacted', { path }), [
      phrase('shows_keys', { path, names: keys.join(', ') }),
      phrase('keys_sent'),
    ]),
    subject: {
      kind: 'tool',
      tool: READ_FILE,
      input,
      folder: context.workspace.folder,
      preview: null,
      hash: hashQuestion(input, hash),
      keys,
    },
    risk: 'high',
    reversible: true,
    held: sentenceOf(phrase('keys_for_person')),
  };
}

/** Throws `conflict` if the person did not allow exactly this content. */
export async function readWithKeys(
  input: { path: string },
  context: KeyContext,
  approval: Approval | null,
): Promise<WholeText> {
  const file = await readWhole(input.path, context);
  const { path, hash, keys } = file;
  if (keys.length === 0 || context.files.unredacted.has(path, hash)) return file;
  const decision = approval?.decisions[0];
  const subject = approval?.request.subject;
  const isAllowed = decision?.allowed && decision.decidedBy === 'person';
  if (!isAllowed || subject?.kind !== 'tool' || subject.hash !== hashQuestion(input, hash))
    throw new TriadError('conflict', `${path} has changed since the question: call ${READ_FILE} again`);
  context.files.unredacted.add(path, hash);
  return file;
}

function hashQuestion(input: unknown, content: string): string {
  return canonicalHash({ tool: READ_FILE, input, content });
}

async function readWhole(path: string, { workspace, signal }: KeyContext): Promise<WholeText> {
  const { handle, path: canonical } = await openInside(workspace, path);
  try {
    const displayPath = shownPath(workspace.folder, canonical);
    const stats = await handle.stat({ bigint: true });
    if (stats.size > MAX_BYTES)
      throw new TriadError('bad_input', `${displayPath} is too large to be read with its keys (${stats.size} bytes)`);
    const text = new TextFile(handle, signal);
    const chunks: Buffer[] = [];
    for await (const chunk of text) chunks.push(Buffer.from(chunk));
    if (text.isBinary)
      throw new TriadError('bad_input', `${displayPath} is not a text file: read it without "unredacted"`);
    const bytes = Buffer.concat(chunks);
    const { encoding } = text;
    const keys = await nameKeys(bytes.toString());
    const stamp = stampOf(encoding === 'utf-8' ? bytes : stats);
    return { path: displayPath, bytes, encoding, stamp, hash: sha256(bytes), keys };
  } finally {
    await handle.close();
  }
}
