/** `triad sessions replay`: prints a past workflow from its events, without a request to a model. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DurableEvent } from '#contract/event.ts';
import type { Client } from '#contract/rpc.ts';
import type { WorkflowRow } from '#contract/view.ts';
import { TriadError } from '#core/base/errors.ts';
import { withLink } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { oneLine, visible } from '../../terminal/visible.ts';
import { workflowArgument } from '../parameters.ts';
import { loadSession } from './load-session.ts';

interface Options {
  speed: number;
}

export function addSessionsReplay(sessions: Command, io: Io): void {
  sessions
    .command('replay')
    .description('print the newest workflow as it was when it ran, from its log; sends no request to a model')
    .addArgument(workflowArgument())
    .addOption(
      new Option('--speed <number>', 'how many times faster than it ran; long pauses are cut, and 0 prints all at once')
        .argParser(parseSpeed)
        .default(20),
    )
    .action((id: string, options: Options) => replaySession(io, id, options));
}

function parseSpeed(text: string): number {
  if (!/^\d{1,3}(\.\d)?$/.test(text)) throw new InvalidArgumentError('This is a number from 0 to 999, such as 20.');
  return Number(text);
}

/** Maximum pause between two events, in milliseconds at true speed. Longer waits are cut. */
const LONGEST = 5000;

/** Prints the events, and resolves after the last one. `speed`: factor of the original speed; 0 prints all at once. */
async function replaySession(io: Io, id: string, { speed }: Options): Promise<void> {
  const { ProjectedRows } = await import('#domain/projected-rows.ts');
  const { linePrinter } = await import('../../follow/follow.ts');
  const { LINE_TABLES } = await import('../../render/event-lines.ts');
  const { workflow, events } = await withLink(io, (link) => link.ask((client) => loadEnded(client, id)));
  const rows = new ProjectedRows(LINE_TABLES);
  const print = linePrinter(io.screen, rows);
  const clean = (text: string) => oneLine(visible(text));
  io.screen.note(io.screen.noteStyle('dim', `▸ you: ${clean(workflow.prompt)}`));
  let last = Date.parse(events[0]?.at ?? '');
  for (const event of events) {
    const at = Math.max(last, Date.parse(event.at));
    if (speed > 0 && at > last) await wait(Math.min(LONGEST, at - last) / speed, undefined, { signal: io.signal });
    io.signal.throwIfAborted();
    last = at;
    // A live terminal already shows the person's answers. A replay must print them.
    if (event.type === 'approval-decide' && event.decision.decidedBy === 'person')
      io.screen.note(answered(event, clean(rows.get('approval', event.approvalId)?.request.title ?? '')));
    print(event);
  }
  await io.screen.flush();
}

function answered({ decision }: Extract<DurableEvent, { type: 'approval-decide' }>, title: string): string {
  return `${decision.allowed ? 'approved' : 'not approved'} by you: ${title}`;
}

interface Loaded {
  workflow: WorkflowRow;
  events: DurableEvent[];
}

/** Returns the newest ended workflow, or the named one, with its events. */
async function loadEnded(client: Client, id: string): Promise<Loaded> {
  const { conversation, workflows } = await loadSession(client, id);
  const workflow = workflows.findLast(({ outcome }) => outcome !== null);
  if (workflow === undefined) throw new TriadError('conflict', `Nothing in session ${conversation.id} has ended`);
  const events: DurableEvent[] = [];
  for (let after = workflow.firstSeq - 1; after < workflow.lastSeq;) {
    const page = await client.request('conversation.events', { conversationId: conversation.id, after });
    const last = page.at(-1);
    if (last === undefined) break;
    events.push(...page.filter(({ workflowId, seq }) => workflowId === workflow.id && seq <= workflow.lastSeq));
    after = last.seq;
  }
  return { workflow, events };
}
