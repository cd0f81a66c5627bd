/** `triad sessions changes`: what the agents of a session wrote to files, and undoing it. */
import type { Client, Output } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { localTime } from '../../render/format.ts';
import { sessionId } from './load-session.ts';

type Listed = Output<'change.list'>[number];

/** Throws `bad_input` for a number that is not in the list. */
export async function sessionChanges(
  { screen }: Io,
  client: Client,
  word: string,
  { undo, redo, json }: { undo?: number; redo?: number; json?: boolean },
): Promise<void> {
  const conversationId = await sessionId(client, word);
  const list = () => client.request('change.list', { conversationId });
  const number = undo ?? redo;
  if (number !== undefined) {
    const changes = await list();
    const change = changes[number - 1];
    if (!change)
      throw new TriadError('bad_input', `There is no write ${number} in this session: it has ${changes.length}`);
    const { runId, toolCallId } = change;
    await client.request('change.undo', { conversationId, runId, toolCallId, redo: redo !== undefined });
  }
  const changes = await list();
  if (json) return screen.data(`${JSON.stringify(changes)}\n`);
  if (changes.length === 0) return screen.note('No agent wrote a file in this session.');
  changes.forEach((change, index) => screen.data(`${line(change, index + 1)}\n`));
  if (number === undefined)
    screen.note(
      `To put back what was there before one of them: triad sessions changes ${conversationId} --undo NUMBER`,
    );
}

const STATES = { done: '', undone: ', undone', changed: ', changed since' } as const satisfies Record<
  Listed['state'],
  string
>;

function line({ at, agent, path, before, folder, state }: Listed, number: number): string {
  const what = before === null ? 'made' : 'replaced';
  const time = localTime(at);
  return `${String(number).padStart(3)}  ${time}  ${visible(agent)} ${what} ${visible(path)}${STATES[state]}  (${visible(folder)})`;
}
