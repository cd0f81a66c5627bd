/** Writes a file over what somebody looked at, and over nothing else. */
import { TriadError } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import { writeAtomically } from '../base/atomic-file.ts';

/** Null where there is no file. */
export const hashOf = (text: string | null): string | null => (text === null ? null : sha256(text));

/** Throws `conflict` where the text is not the one of that hash. */
export function mustBe(file: string, text: string | null, base: string | null): void {
  if (hashOf(text) === base) return;
  throw new TriadError(
    'conflict',
    `${file} is not what you looked at any more: nothing was written. Look at it again, and then change it`,
  );
}

export interface Swap {
  file: string;
  /** Hash of the text that is there; null for none. */
  base: string | null;
  text: string;
  mode?: number | undefined;
  /** Runs when all but the rename is done; a throw leaves the file as it was. */
  record: () => Promise<void>;
}

/** `read`: the text of the file, null where there is none. Throws `conflict` as `mustBe` does, right before the new text takes its place. */
export async function swapText(
  { file, base, text, mode, record }: Swap,
  read: () => Promise<string | null>,
): Promise<void> {
  const before = async (): Promise<void> => {
    mustBe(file, await read(), base);
    await record();
    // To record takes as long as the disk does.
    mustBe(file, await read(), base);
  };
  await writeAtomically(file, text, { mode, before });
}
