/** Follows one workflow to its end on the screen: output, questions, stops by the person, and changes of the owner. */
import type { Answer } from '#contract/approval.ts';
import type { AgentEvent } from '#contract/event.ts';
import type { Client, Input } from '#contract/rpc.ts';
import type { Connected } from '#core/host/ownership/connect-or-own.ts';
import { ProjectedRows } from '#domain/projected-rows.ts';
import { answerQuestions, type Questions } from './answers.ts';
import { noteDiskFull } from './disk-full-note.ts';
import { EXIT, hasCode, Interruption, lineOf } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { LINE_TABLES, linesOf, NOTHING_SHOWN } from '../render/event-lines.ts';
import { type Link, ownerGone } from './link.ts';
import { dataText, type Screen } from '../terminal/screen.ts';
import { createPartFilter } from '../terminal/visible.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface Following {
  conversationId: string;
  json: boolean;
  /** Answers to questions: at the terminal, the same for all, or left to the runtime. */
  answers: Terminal | Answer | null;
  /** Id of a running workflow, whose earlier output is shown first. Left out if `start` starts it. */
  running?: string;
  /** Starts the workflow. Its events may arrive before its id. */
  start: (client: Client) => Promise<string>;
  /** Finds the workflow of a start without an answer; null if it did not start. */
  find: (client: Client) => Promise<string | null>;
}

type End = Extract<AgentEvent, { type: 'workflow-end' }>;

/** The progress of following, across changes of the owner. */
interface Progress {
  workflowId: string | null;
  /** Number of the newest event that was shown. */
  seq: number;
  /** True after the end. Late hints belong to messages that were shown whole. */
  ended: boolean;
  readonly show: (event: AgentEvent) => void;
}

/** Returns the id of the workflow, and passes missed events to `take`. */
type Start = (client: Client, take: (event: AgentEvent) => void) => Promise<string>;

/** Resolves with the exit code once the workflow has ended. */
export async function follow(io: Io, link: Link, following: Following): Promise<number> {
  const { screen, signal } = io;
  signal.throwIfAborted();
  const show = following.json ? jsonPrinter(screen) : linePrinter(screen);
  const progress: Progress = { workflowId: following.running ?? null, seq: 0, ended: false, show };
  const join: Start = async (client, take) => {
    const workflowId = await following.start(client);
    for (const event of await catchUp(client, following.conversationId, { ...progress, workflowId })) take(event);
    return workflowId;
  };
  const start = following.running === undefined ? following.start : join;
  const end = await attend(io, link.current, following, progress, start).catch((error: unknown) =>
    takeOver(io, link, following, progress, error),
  );
  const isInterrupted = end.outcome === 'interrupted';
  // A failed write of the last lines is detected only here.
  await screen.flush();
  const isUnread = end.outcome === 'completed' && isUnwritable(signal);
  // With `--json`, the events are enough, without a hint on how to go on.
  if (isUnread) screen.note(`The answer is stored; read it with: triad sessions show ${following.conversationId}`);
  else if (!following.json || isInterrupted) screen.note(wayOn(end, following.conversationId));
  if (end.outcome === 'completed') return EXIT.ok;
  if (signal.reason instanceof Interruption) return signal.reason.exitCode;
  return end.outcome === 'cancelled' ? EXIT.interrupt : EXIT.failure;
}

function isUnwritable({ reason }: AbortSignal): boolean {
  return reason instanceof Interruption && reason.by === 'unwritable';
}

/** Returns the last line: the cause of an interruption, and the command that continues. */
function wayOn({ outcome, error }: End, conversationId: string): string {
  const isStopped = outcome === 'interrupted' || outcome === 'cancelled';
  const why = isStopped && error !== null ? `${error.message.replace(/\.$/, '')}; ` : '';
  if (outcome === 'interrupted') return `${why}continue with: triad sessions resume ${conversationId}`;
  return `${why}continue with: triad run --conversation ${conversationId} "…"`;
}

/** Resumes the workflow from its last finished step after its owner has ended, with the new owner. */
async function takeOver(io: Io, link: Link, following: Following, progress: Progress, reason: unknown): Promise<End> {
  let error = reason;
  while (ownerGone(link.current)) {
    await link.again();
    const where = link.current.owner ? 'here' : 'in the one that runs now';
    io.screen.note(`${lineOf(error)}: the work goes on ${where}.`);
    const goOn: Start = async (client, take) => {
      progress.workflowId ??= await following.find(client);
      if (progress.workflowId === null) return following.start(client);
      await resume(client, progress.workflowId);
      for (const event of await catchUp(client, following.conversationId, progress)) take(event);
      return progress.workflowId;
    };
    try {
      return await attend(io, link.current, following, progress, goOn);
    } catch (again) {
      error = again;
    }
  }
  throw error;
}

/** Follows on one connection; rejects when it is lost. */
async function attend(
  { screen, signal }: Io,
  { client, lost }: Connected,
  { conversationId, answers }: Following,
  progress: Progress,
  start: Start,
): Promise<End> {
  lost.throwIfAborted();
  const ended = Promise.withResolvers<End>();
  ended.promise.catch(() => undefined);
  const fail = () => ended.reject(lost.reason as Error);
  lost.addEventListener('abort', fail, { once: true });
  let early: AgentEvent[] | null = [];
  let questions: Questions | null = null;
  const take = (event: AgentEvent) => {
    if (!isNew(event, progress)) return;
    progress.show(event);
    questions?.update(event);
    if (event.type === 'workflow-end') ended.resolve(event);
  };
  const leave = await client.subscribe('conversation', { conversationId }, (event) => {
    if (early === null) take(event);
    else early.push(event);
  });
  questions = answers === null ? null : await answerQuestions(client, screen, answers, conversationId);
  const endNotes = await noteDiskFull(client, screen);
  const stop = () => void stopWorkflow(client, screen, signal, progress.workflowId);
  try {
    progress.workflowId = await start(client, take);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const waiting = early;
    early = null;
    for (const event of afterShown(waiting, progress)) take(event);
    return await ended.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    lost.removeEventListener('abort', fail);
    leave();
    endNotes();
    await questions?.close();
  }
}

/** Events of this workflow only, each durable one once. */
function isNew(event: AgentEvent, progress: Progress): boolean {
  if (event.workflowId !== progress.workflowId || progress.ended) return false;
  if (!('seq' in event)) return true;
  if (event.seq <= progress.seq) return false;
  progress.seq = event.seq;
  progress.ended = event.type === 'workflow-end';
  return true;
}

/** Hints before an event that was shown belong to messages whose end was shown as well. */
function afterShown(events: readonly AgentEvent[], { seq }: Progress): AgentEvent[] {
  return events.slice(events.findLastIndex((event) => 'seq' in event && event.seq <= seq) + 1);
}

/** Resumes a workflow. Ignores that another client has resumed it first. */
async function resume(client: Client, workflowId: string): Promise<void> {
  const { workflow } = await client.request('workflow.get', { workflowId });
  if (workflow.outcome !== 'interrupted') return;
  await client.request('workflow.resume', { workflowId }).catch((error: unknown) => {
    if (!hasCode(error, 'conflict')) throw error;
  });
}

/**
 * Returns the stored events that were not shown. Excludes an interrupted end before a later start, so that the output has
 * only one end.
 */
async function catchUp(client: Client, conversationId: string, { workflowId, seq }: Progress): Promise<AgentEvent[]> {
  const missed: AgentEvent[] = [];
  for (let after = seq; ;) {
    const page = await client.request('conversation.events', { conversationId, after });
    missed.push(...page.filter((event) => event.workflowId === workflowId));
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.seq;
  }
  const started = missed.findLastIndex(({ type }) => type === 'workflow-start');
  return missed.filter(({ type }, index) => type !== 'workflow-end' || index > started);
}

/** Causes of a stop, by interruption. Ctrl-C is missing: only it is a stop by the person. */
const CAUSES: Readonly<Record<string, Input<'workflow.stop'>['cause']>> = {
  EPIPE: 'output',
  SIGTERM: 'SIGTERM',
  SIGHUP: 'SIGHUP',
  unwritable: 'unwritable',
};

/** Stops the workflow. Prints only a failure, because the end arrives as an event. */
async function stopWorkflow(
  client: Client,
  screen: Screen,
  signal: AbortSignal,
  workflowId: string | null,
): Promise<void> {
  if (workflowId === null) return;
  const cause = signal.reason instanceof Interruption ? (CAUSES[signal.reason.by] ?? 'person') : 'person';
  try {
    await client.request('workflow.stop', { workflowId, cause });
  } catch (error) {
    screen.note(`cannot stop: ${lineOf(error)}`);
  }
}

function jsonPrinter(screen: Screen): (event: AgentEvent) => void {
  return (event) => screen.data(dataText(screen, `${JSON.stringify(event)}\n`));
}

/** Prints each event as text. `rows` include the printed events. */
export function linePrinter(screen: Screen, rows = new ProjectedRows(LINE_TABLES)): (event: AgentEvent) => void {
  let shown = { ...NOTHING_SHOWN, isPiped: !screen.isTerminal };
  const filterPart = createPartFilter();
  return (event) => {
    if ('seq' in event) rows.apply(event);
    const step = linesOf(shown, rows, event, screen.noteStyle);
    shown = step.shown;
    for (const { to, text } of step.pieces) {
      if (to === 'note') screen.note(text);
      else screen.data(screen.isTerminal ? filterPart(text) : text);
    }
  };
}
