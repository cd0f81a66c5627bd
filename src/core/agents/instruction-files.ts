/** The files in which a project tells agents how to work in it: where they are, and what of them reaches a prompt. */
import { dirname, join, relative, sep } from 'node:path';
import type { ProjectInstruction } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { INSTRUCTION_FILES } from '#contract/instruction-path.ts';
import { MAX_INSTRUCTION_BYTES } from '#contract/limits.ts';
import { titleOf } from '#contract/messages/short-text.ts';
import { findRealPath, readLinkStats } from '../base/disk-lookups.ts';
import { redactKeysNow } from '../base/redact.ts';
import { cutAtBytes } from '../base/text.ts';
import { type RawFile, unreadable } from './entries.ts';
import { readAgentFile } from './read-place.ts';

/** A file, with its path relative to the workspace folder, such as `../AGENTS.md`: by it the file is trusted. */
interface InstructionFile {
  relative: string;
  raw: RawFile;
}

/** Where such files would be, nearest first: in the folder, and in those above it up to the root of its repository. */
export async function instructionPaths(folder: string): Promise<string[]> {
  return (await reachOf(folder)).paths;
}

/** Those that are there, nearest first. Of one that cannot be read, or leads out of the repository, the problem. */
export async function instructionFiles(folder: string): Promise<InstructionFile[]> {
  const { here, root, paths } = await reachOf(folder);
  const found = await Promise.all(paths.map(async (path) => ({ path, raw: await readWithin(root, path) })));
  return found.flatMap(({ path, raw }) =>
    raw === null ? [] : [{ relative: relative(here, path).split(sep).join('/'), raw }],
  );
}

/** The folder and those above it up to its repository's root, nearest first; the folder alone where it lies in none. */
async function reachOf(folder: string): Promise<{ here: string; root: string; paths: string[] }> {
  const here = (await findRealPath(folder)) ?? folder;
  const inFolder = (one: string): string[] => INSTRUCTION_FILES.map((name) => join(one, name));
  const paths: string[] = [];
  for (let root = here; ; root = dirname(root)) {
    paths.push(...inFolder(root));
    // In worktrees and submodules it is a file.
    const mark = await readLinkStats(join(root, '.git'));
    if (mark) return { here, root, paths };
    if (dirname(root) === root) return { here, root: here, paths: inFolder(here) };
  }
}

/** Null where nothing is there. */
async function readWithin(root: string, path: string): Promise<RawFile | null> {
  const real = await findRealPath(path);
  if (real === null) return null;
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
    return unreadable(path, [phrase('instructions_lead_out')]);
  const raw = await readAgentFile(real);
  return { ...raw, path };
}

/** Returns the texts without keys, nearest first, each once. The last text that fits only in part is cut and marked. */
export function toldOf(files: readonly InstructionFile[]): ProjectInstruction[] {
  const told = new Map<string, ProjectInstruction>();
  let room = MAX_INSTRUCTION_BYTES;
  for (const { relative: path, raw } of files) {
    if (raw.problem !== null || told.has(raw.hash) || raw.text.trim() === '') continue;
    const text = cutAtBytes(raw.text, room);
    room -= Buffer.byteLength(text);
    told.set(raw.hash, {
      path,
      hash: raw.hash,
      text: redactKeysNow(text),
      ...(text === raw.text ? {} : { cut: true }),
    });
  }
  return [...told.values()];
}

/** What such a file says, for the decision to trust it. */
export function instructionWords(text: string): string {
  const bytes = Buffer.byteLength(text);
  const size = bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KiB`;
  const bound =
    bytes > MAX_INSTRUCTION_BYTES ? `, of which the first ${MAX_INSTRUCTION_BYTES / 1024} KiB are told` : '';
  const heading = /^#{1,6}[ \t]+(.+)$/m.exec(text)?.[1] ?? titleOf(text);
  return `instructions for agents, ${size}${bound}${heading === '' ? '' : `: ${titleOf(heading)}`}`;
}
