/** Takes a change of a file back without losing what was done to the file since. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyPatch, reversePatch, type StructuredPatch } from 'diff';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { UndoneFile } from '#contract/change.ts';
import { TriadError } from '../base/errors.ts';
import { type FileNow, isSame, stateOf } from './file-state.ts';
import type { Git } from './git.ts';

/** A change of one file, with all bytes. */
export interface Step {
  path: string;
  before: FileNow | null;
  after: FileNow | null;
  /** As in a change set. */
  from?: string;
}

export type Reversed =
  | { outcome: Exclude<UndoneFile['outcome'], 'conflict'>; file: FileNow | null }
  | { outcome: 'conflict'; why: Phrase };

/** What the file is to be, from what it is now. Needs git where both have changed the text of a file. */
export async function reversed(git: Git, { before, after }: Step, now: FileNow | null): Promise<Reversed> {
  if (isSame(stateOf(now), stateOf(after))) return { outcome: 'put_back', file: before };
  if (isSame(stateOf(now), stateOf(before))) return { outcome: 'already', file: now };
  if (now === null) return { outcome: 'conflict', why: phrase('removed_since') };
  if (after === null) return { outcome: 'conflict', why: phrase('made_again') };
  if (before === null) return { outcome: 'conflict', why: phrase('changed_since_made') };
  if ([before, after, now].some(({ kind }) => kind !== 'file'))
    return { outcome: 'conflict', why: phrase('other_kind') };
  const mode = now.mode === after.mode ? before.mode : now.mode;
  if (now.bytes.equals(before.bytes) && now.mode === mode) return { outcome: 'already', file: now };
  const bytes = await merged(git, { ours: now.bytes, base: after.bytes, theirs: before.bytes });
  if (bytes === null) return { outcome: 'conflict', why: phrase('change_in_the_way') };
  if (bytes.equals(now.bytes) && now.mode === mode) return { outcome: 'already', file: now };
  return { outcome: 'merged', file: { kind: 'file', bytes, mode } };
}

/** The change that one hunk of a patch from `before` to `after` is. Throws `not_found` where there is no such hunk. */
export function hunkStep(step: Step, patch: StructuredPatch, index: number): Step {
  const hunk = patch.hunks[index];
  const { after } = step;
  if (!hunk || after === null) throw new TriadError('not_found', `There is no hunk ${index} in this change`);
  const without = applyPatch(after.bytes.toString('utf8'), reversePatch({ ...patch, hunks: [hunk] }));
  if (without === false) throw new TriadError('internal', 'A hunk does not fit the text that it was made from');
  // Of a file that was made nothing is left without its only hunk.
  if (step.before === null) return step;
  return { ...step, before: { ...step.before, bytes: Buffer.from(without), mode: after.mode } };
}

interface Sides {
  ours: Buffer;
  base: Buffer;
  theirs: Buffer;
}

/** Null where both have changed the same lines, one is not text, or there is no git. */
async function merged(git: Git, { ours, base, theirs }: Sides): Promise<Buffer | null> {
  if (ours.equals(base)) return theirs;
  if (theirs.equals(base) || theirs.equals(ours)) return ours;
  if ([ours, base, theirs].some((bytes) => bytes.includes(0)) || (await git.file()) === null) return null;
  const folder = await mkdtemp(join(tmpdir(), 'triad-merge-'));
  try {
    const names = ['ours', 'base', 'theirs'] as const;
    const sides = { ours, base, theirs };
    await Promise.all(names.map((name) => writeFile(join(folder, name), sides[name], { mode: 0o600 })));
    let conflicts = 0;
    const accepts = (code: number): boolean => {
      conflicts = code;
      return code < 128;
    };
    const out = await git.run({ args: ['merge-file', '--stdout', '--quiet', ...names], cwd: folder, accepts });
    return conflicts === 0 ? out : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
