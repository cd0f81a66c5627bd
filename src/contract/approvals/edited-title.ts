/** The title of a question about a tool call once the person has edited the call: what it says then is what was approved. Pure. */
import type { ApprovalRequest } from '../approval.ts';
import { pathTitleOf, titleOf } from '../messages/short-text.ts';

type Titled = Pick<ApprovalRequest, 'title' | 'says'>;

/** What stands at the end of a title, in English as in its values: the file or the command. */
const NAMED: Readonly<Record<string, 'path' | 'command'>> = {
  write: 'path',
  edit: 'path',
  run: 'command',
  run_in: 'command',
};
const SHORT = { path: pathTitleOf, command: titleOf };

/**
 * `edited`: the input as it was approved. The numbers of changed lines are left out, being those of what was asked. A title
 * that names neither a file nor a command stays.
 */
export function editedTitle({ title, says }: Titled, input: unknown, edited: unknown): Titled {
  const as = says === undefined || !Object.hasOwn(NAMED, says.title.key) ? undefined : NAMED[says.title.key];
  if (says === undefined || as === undefined) return { title, ...(says ? { says } : {}) };
  const { [as]: before, change = '' } = says.title.values;
  const [asked, now] = [fieldOf(input, as), fieldOf(edited, as)];
  const named = now === null || now === asked ? String(before) : SHORT[as](now);
  const end = `${String(before)}${String(change)}`;
  const values = { ...says.title.values, [as]: named, ...('change' in says.title.values ? { change: '' } : {}) };
  return {
    title: title.endsWith(end) ? `${title.slice(0, title.length - end.length)}${named}` : title,
    says: { ...says, title: { ...says.title, values } },
  };
}

function fieldOf(input: unknown, field: string): string | null {
  const value: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, field) : null;
  return typeof value === 'string' ? value : null;
}
