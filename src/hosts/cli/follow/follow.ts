/** Follows one workflow to its end on the screen: output, questions, the stop that the person asks for, a new owner. */
import type { Answer } from '#contract/approval.ts';
import type { AgentEvent } from '#contract/event.ts';
import type { Client, Input } from '#contract/rpc.ts';
import type { Connected } from '#core/hosting/connect-or-own.ts';
import { answerQuestions, type Questions } from './answers.ts';
import { noteDiskFull } from './disk-full-note.ts';
import { EXIT, hasCode, Interruption, lineOf } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { linesOf, NOTHING_SHOWN } from '../render/event-lines.ts';
import { type Link, ownerGone } from './link.ts';
import { dataText, type Screen } from '../terminal/screen.ts';
import { createPartFilter } from '../terminal/visible.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface Following {
  conversationId: string;
  json: boolean;
  /** How questions are answered from here: at the terminal, all alike, or not at all (the runtime does it). */
  answers: Terminal | Answer | null;
  /** The one that runs already: what it has said until now is shown first. Left out where `start` sets it going. */
  running?: string;
  /** Sets the workflow going; its events may come before its id does. */
  start: (client: Client) => Promise<string>;
  /** The workflow of a start that got no answer; null where it did not happen. */
  find: (client: Client) => Promise<string | null>;
}

type End = Extract<AgentEvent, { type: 'workflow-end' }>;

/** How far the workflow was followed, whoever the owner was. */
interface Progress {
  workflowId: string | null;
  /** Number of the newest event that was shown. */
  seq: number;
  /** Nothing follows the end: hints that come late, behind what was caught up with, are of messages shown whole. */
  ended: boolean;
  readonly show: (event: AgentEvent) => void;
}

/** Gives the workflow's id; what was missed of it goes to `take`. */
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
  // That the last words could not be written shows only now.
  await screen.flush();
  const isUnread = end.outcome === 'completed' && isUnwritable(signal);
  // A program reads what happened in the events; how it goes on concerns whoever started it.
  if (isUnread) screen.note(`The answer is stored; read it with: triad sessions show ${following.conversationId}`);
  else if (!following.json || isInterrupted) screen.note(wayOn(end, following.conversationId));
  if (end.outcome === 'completed') return EXIT.ok;
  if (signal.reason instanceof Interruption) return signal.reason.exitCode;
  return end.outcome === 'cancelled' ? EXIT.interrupt : EXIT.failure;
}

function isUnwritable({ reason }: AbortSignal): boolean {
  return reason instanceof Interruption && reason.by === 'unwritable';
}

/** The last line: what ended it, where that was no end of its own, and the command that goes on. */
function wayOn({ outcome, error }: End, conversationId: string): string {
  const isStopped = outcome === 'interrupted' || outcome === 'cancelled';
  const why = isStopped && error !== null ? `${error.message.replace(/\.$/, '')}; ` : '';
  if (outcome === 'interrupted') return `${why}continue with: triad sessions resume ${conversationId}`;
  return `${why}continue with: triad run --conversation ${conversationId} "…"`;
}

/** The owner has gone in the middle: whoever is it now, the workflow goes on from its last finished step. */
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

/** Whoever else went on with it first: it runs. */
async function resume(client: Client, workflowId: string): Promise<void> {
  const { workflow } = await client.request('workflow.get', { workflowId });
  if (workflow.outcome !== 'interrupted') return;
  await client.request('workflow.resume', { workflowId }).catch((error: unknown) => {
    if (!hasCode(error, 'conflict')) throw error;
  });
}

/**
 * What was stored and not shown. An end as interrupted that a later start took back is left out, so that the last line
 * stays the only one of its type.
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

/** Only Ctrl-C is a person's word; whoever sends another signal wants the program to end, not the work. */
const CAUSES: Readonly<Record<string, Input<'workflow.stop'>['cause']>> = {
  EPIPE: 'output',
  SIGTERM: 'SIGTERM',
  SIGHUP: 'SIGHUP',
  unwritable: 'unwritable',
};

/** The end comes as an event; only a stop that fails is worth a word. */
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

/** Prints each event as a person reads it. */
export function linePrinter(screen: Screen): (event: AgentEvent) => void {
  let shown = { ...NOTHING_SHOWN, isPiped: !screen.isTerminal };
  const filterPart = createPartFilter();
  return (event) => {
    const step = linesOf(shown, event, screen.noteStyle);
    shown = step.shown;
    for (const { to, text } of step.pieces) {
      if (to === 'note') screen.note(text);
      else screen.data(screen.isTerminal ? filterPart(text) : text);
    }
  };
}
