/** What an edit of a text changes in it, line by line. */
import { createTwoFilesPatch } from 'diff';

/** A unified diff; empty where no line differs. Whether a text ends with a line feed does not count: nobody sees that. */
export function editDiff(before: string, after: string): string {
  const [old, now] = [ended(before), ended(after)];
  return old === now ? '' : createTwoFilesPatch('a', 'b', old, now, undefined, undefined, { context: 2 });
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
