/** Checks an id that cannot be abbreviated. */
import { UsageError } from '../../terminal/failure.ts';
import { visible } from '../../terminal/visible.ts';

/** Returns the id, or throws if it is not complete. `see`: the command that lists the ids. */
export async function wholeId(word: string, ofWhat: string, see: string): Promise<string> {
  const { Id } = await import('#contract/ids.ts');
  if (Id.safeParse(word).success) return word;
  throw new UsageError(`"${visible(word)}" is not the id of ${ofWhat}: see "triad ${see}"`);
}
