/** `triad sessions fork`: a new session whose history ends at a message or a step of another one, or goes on from there. */
import type { ApprovePolicy } from '#contract/agent.ts';
import type { Client, Input } from '#contract/rpc.ts';
import type { ForkEnd } from '#contract/messages/fork.ts';
import { terminalFor } from '../../follow/answers.ts';
import { follow } from '../../follow/follow.ts';
import { type Link, openLink } from '../../follow/link.ts';
import type { Session } from '../../render/session-json.ts';
import { stepLines } from '../../render/step-lines.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { loadSession } from './load-session.ts';

interface Wish {
  /** `WORKFLOW`, `STEP` of the newest one, `WORKFLOW:STEP` or `RUN:STEP`; ids, or the first characters of them. */
  at?: string;
  before: boolean;
  json?: boolean;
}

interface Place {
  workflowId: string;
  /** Number of an entry of the run, which is the lead's where none is named. */
  entry?: number;
  runId?: string;
}

export async function forkSession({ screen }: Io, client: Client, word: string, wish: Wish): Promise<void> {
  const { before, json } = wish;
  const session = await loadSession(client, word);
  const end: ForkEnd = before ? 'before' : 'after';
  const asked = { conversationId: session.conversation.id, ...placeOf(session, wish.at), end };
  if (before && asked.entry !== undefined) throw new UsageError('--before belongs to a message, not to a step of it');
  const { id, title, folder, agent, createdAt, from } = await client.request('conversation.fork', asked);
  if (json) return screen.data(`${JSON.stringify({ id, title, folder, agent, createdAt, from }, null, 2)}\n`);
  screen.data(`${id}\n`);
  screen.note(`Files stay as they are. To go on: triad run --conversation ${id} "…"`);
}

/** The steps at which it can be forked, with the place that `--at` takes. */
export async function listSteps({ screen }: Io, client: Client, word: string, at: string | undefined): Promise<void> {
  const session = await loadSession(client, word);
  const { workflowId } = placeOf(session, at);
  const runs = session.runs.filter((run) => run.workflowId === workflowId);
  const parts = await Promise.all(
    runs.map(async (run) => ({ run, entries: await client.request('run.entries', { runId: run.id }) })),
  );
  for (const line of stepLines(parts, screen.width, screen.dataStyle)) screen.data(`${line}\n`);
}

/** Resolves with the exit code once what goes on has ended. */
export async function goOnFrom(
  io: Io,
  word: string,
  { at, json, ...options }: Pick<Wish, 'at' | 'json'> & { approve?: ApprovePolicy },
): Promise<number> {
  const { approve, terminal } = await terminalFor(io, options.approve);
  try {
    const link = await openLink(io, true);
    try {
      const { id, workflowId } = await begun(link, word, at, approve);
      io.screen.note(
        `Session ${id} goes on from there. Files stay as they are; steps that were done come from the cache, at no cost, and the rest is asked.`,
      );
      return await follow(io, link, {
        conversationId: id,
        json: json === true,
        answers: terminal,
        running: workflowId,
        start: () => Promise.resolve(workflowId),
        find: () => Promise.resolve(workflowId),
      });
    } finally {
      await link.close();
    }
  } finally {
    terminal?.close();
  }
}

async function begun(link: Link, word: string, at: string | undefined, approve: ApprovePolicy) {
  const asked = await link.ask(async (client): Promise<Input<'conversation.fork'>> => {
    const session = await loadSession(client, word);
    const place = placeOf(session, at);
    if (place.entry === undefined)
      throw new UsageError(
        `--go-on needs a step, such as --at 4: see "triad sessions fork ${session.conversation.id} --steps"`,
      );
    return { conversationId: session.conversation.id, ...place, goOn: true, approve };
  });
  // Not asked again where the answer is lost: it would be made twice.
  const { id } = await link.current.client.request('conversation.fork', asked);
  const { workflows } = await link.ask((client) => client.request('conversation.snapshot', { conversationId: id }));
  return { id, workflowId: workflows.at(-1)?.id ?? '' };
}

function placeOf({ conversation, workflows, runs }: Session, at: string | undefined): Place {
  const newest = workflows.at(-1);
  if (at === undefined || /^(0|[1-9]\d{0,5})$/.test(at)) {
    if (!newest) throw new UsageError('Nothing was said in this session yet');
    return { workflowId: newest.id, ...(at !== undefined && { entry: Number(at) }) };
  }
  const [, id = '', entry] = /^([^:]*)(?::(\d{1,6}))?$/.exec(at) ?? [];
  const step = entry === undefined ? {} : { entry: Number(entry) };
  const meant = id === '' ? [] : workflows.filter((workflow) => workflow.id.startsWith(id));
  if (meant.length === 1) return { workflowId: meant[0]!.id, ...step };
  const ran = id === '' || entry === undefined ? [] : runs.filter((run) => run.id.startsWith(id));
  if (meant.length === 0 && ran.length === 1) return { workflowId: ran[0]!.workflowId, runId: ran[0]!.id, ...step };
  throw new UsageError(
    `"${at}" is neither the id of one workflow of this session nor a step: see "triad sessions show ${conversation.id}", and for steps "triad sessions fork ${conversation.id} --steps"`,
  );
}
