/** `triad sessions replay`: a workflow as it was when it ran, from its log; nothing is asked of a model. */
import { setTimeout as wait } from 'node:timers/promises';
import type { DurableEvent } from '#contract/event.ts';
import type { Client } from '#contract/rpc.ts';
import type { WorkflowRow } from '#contract/view.ts';
import { TriadError } from '#core/base/errors.ts';
import { linePrinter } from '../../follow/follow.ts';
import { openLink } from '../../follow/link.ts';
import { oneLine } from '../../render/format.ts';
import { EXIT } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { loadSession } from './load-session.ts';

/** Longest pause between two events, in milliseconds at true speed: of a wait there is nothing to see. */
const LONGEST = 5000;

/** `speed`: how many times as fast as it was; 0: at once. Resolves once all of it was printed. */
export async function replaySession(io: Io, id: string, { speed }: { speed: number }): Promise<number> {
  const { workflow, events } = await loaded(io, id);
  const print = linePrinter(io.screen);
  const clean = (text: string) => oneLine(visible(text));
  const titles = new Map<string, string>();
  io.screen.note(io.screen.noteStyle('dim', `▸ you: ${clean(workflow.prompt)}`));
  let last = Date.parse(events[0]?.at ?? '');
  for (const event of events) {
    const at = Math.max(last, Date.parse(event.at));
    if (speed > 0 && at > last) await wait(Math.min(LONGEST, at - last) / speed, undefined, { signal: io.signal });
    io.signal.throwIfAborted();
    last = at;
    // What the person was asked and answered stood on the screen; only here it does not.
    if (event.type === 'approval-request') titles.set(event.approval.id, event.approval.title);
    if (event.type === 'approval-decide' && event.decision.decidedBy === 'person')
      io.screen.note(answered(event, clean(titles.get(event.approvalId) ?? '')));
    print(event);
  }
  await io.screen.flush();
  return EXIT.ok;
}

function answered({ decision }: Extract<DurableEvent, { type: 'approval-decide' }>, title: string): string {
  return `${decision.allowed ? 'approved' : 'not approved'} by you: ${title}`;
}

interface Loaded {
  workflow: WorkflowRow;
  events: DurableEvent[];
}

async function loaded(io: Io, id: string): Promise<Loaded> {
  const link = await openLink(io, false);
  try {
    return await link.ask((client) => ended(client, id));
  } finally {
    await link.close();
  }
}

/** The newest workflow that has ended, or the one that was named, with its events. */
async function ended(client: Client, id: string): Promise<Loaded> {
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
