/** `triad sessions changes`: what the agents of a session wrote to files, and undoing it. */
import type { Client, Output } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { localTime } from '../../render/format.ts';
import { sessionId } from './load-session.ts';

type Row = Output<'change.list'>[number];
/** One file of a change set. */
type Listed = Omit<Row, 'files'> & Row['files'][number];

/** Notes say what was done; the list stands as data. Throws `bad_input` for a number that is not in the list. */
export async function sessionChanges(
  { screen }: Io,
  client: Client,
  word: string,
  { undo, redo, json }: { undo?: number; redo?: number; json?: boolean },
): Promise<void> {
  const conversationId = await sessionId(client, word);
  const list = async (): Promise<Listed[]> => {
    const rows = await client.request('change.list', { conversationId });
    return rows.flatMap(({ files, ...set }) => files.map((file) => ({ ...set, ...file })));
  };
  const command = `triad sessions changes ${conversationId}`;
  const number = undo ?? redo;
  const before = await list();
  if (number !== undefined) {
    const change = before[number - 1];
    if (!change)
      throw new TriadError('bad_input', `There is no write ${number} in this session: it has ${before.length}`);
    const { runId, toolCallId, path } = change;
    await client.request('change.undo', {
      conversationId,
      target: { runId, toolCallId, path },
      redo: redo !== undefined,
    });
    screen.note(redo === undefined ? undone(change, number, command) : redone(change, number, command));
  }
  const changes = number === undefined ? before : await list();
  if (json) return screen.data(`${JSON.stringify(changes)}\n`);
  if (changes.length === 0) return screen.note('No agent wrote a file in this session.');
  changes.forEach((change, index) => screen.data(`${line(change, index + 1)}\n`));
  if (number !== undefined) return;
  if (changes.some(({ state }) => state === 'done'))
    screen.note(`To put back what was there before one of them: ${command} --undo NUMBER`);
  if (changes.some(({ state }) => state === 'undone'))
    screen.note(`To write again what was undone: ${command} --redo NUMBER`);
}

/** `change`: as it was before that. */
function undone({ path, before, after, state }: Listed, number: number, command: string): string {
  const file = visible(path);
  if (state === 'undone' || before === after) return `${file} is already as it was before write ${number}.`;
  const what =
    before === null
      ? `Removed ${file}, which write ${number} had made.`
      : `Put back ${file} as it was before write ${number}.`;
  return `${what} To write it again: ${command} --redo ${number}`;
}

/** `change`: as it was before that. */
function redone({ path, state }: Listed, number: number, command: string): string {
  const file = visible(path);
  if (state === 'done') return `${file} is already as write ${number} left it.`;
  return `Wrote ${file} again as in write ${number}. To undo it: ${command} --undo ${number}`;
}

const STATES = {
  done: '',
  undone: ', undone',
  changed: ', changed since',
  gone: ', whose folder is not there any more',
} as const satisfies Record<Listed['state'], string>;

function line({ at, agent, path, before, folder, state }: Listed, number: number): string {
  const what = before === null ? 'made' : 'replaced';
  const time = localTime(at);
  return `${String(number).padStart(3)}  ${time}  ${visible(agent)} ${what} ${visible(path)}${STATES[state]}  (${visible(folder)})`;
}
