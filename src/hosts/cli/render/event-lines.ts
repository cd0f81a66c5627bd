/** Events as a person reads them in a terminal: the lead's words as data, everything else as notes. Pure. */
import { compactionText } from '#contract/context/compaction-text.ts';
import { cutText } from '#contract/cut-text.ts';
import type { AgentEvent, DurableEvent, HintEvent } from '#contract/event.ts';
import { grantIdOf } from '#contract/grant-id.ts';
import { isReportedWait } from '#contract/messages/find-provider-wait.ts';
import type { AssistantEntry, HandoffEntry } from '#contract/message.ts';
import { COPIED_TEXT } from '#contract/messages/fork-text.ts';
import { summaryOf } from '#contract/messages/short-text.ts';
import type { ProjectedRows } from '#domain/projected-rows.ts';
import { verdictOf } from '#core/runs/loop/review-words.ts';
import { observe } from '#core/host/records/adapters/progress.ts';
import { cost, duration, tokens } from './format.ts';
import { markText } from './mark-text.ts';
import type { Style } from '../terminal/style.ts';
import { harmless, oneLine, visible } from '../terminal/visible.ts';

type Piece = { to: 'data' | 'note'; text: string };

type Step = { shown: Shown; pieces: Piece[] };
type Hint = Extract<HintEvent, { type: 'message-delta' }>;
type Durable<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;

const NOTICE_INK = { info: 'dim', warning: 'yellow', error: 'red' } as const;
const clean = (text: string) => oneLine(visible(text));

/** Tables of the rows that `linesOf` reads. */
export const LINE_TABLES = ['run', 'approval'] as const;

/** What was shown so far. */
export interface Shown {
  /** The lead's message in flight of which words were shown. */
  messageId: string | null;
  /** Length shown of each of its parts. */
  parts: ReadonlyMap<number, number>;
  /** The last message that was shown was cut off: nothing goes on from it. */
  cut: boolean;
  midLine: boolean;
  /** Whether any words of the lead were shown. */
  spoke: boolean;
  /** Data goes to a pipe or a file. */
  isPiped: boolean;
  /** Prints the result of the workflow, and no other answer. */
  isResultOnly: boolean;
}

export const NOTHING_SHOWN: Shown = {
  messageId: null,
  parts: new Map(),
  cut: false,
  midLine: false,
  spoke: false,
  isPiped: false,
  isResultOnly: false,
};

/** Returns the lines that an event adds to the terminal, and the new state. `rows` must include the event. */
export function linesOf(shown: Shown, rows: ProjectedRows, event: AgentEvent, style: Style): Step {
  const isLead = event.parentRunId === null;
  switch (event.type) {
    case 'message-delta':
      return isLead && !shown.isResultOnly ? delta(shown, event, style) : silent(shown);
    case 'message-end':
      return ended(shown, event, style);
    case 'run-start':
      return noted(started(shown, rows, event), ...progress(rows, event, style));
    case 'run-end':
      return noted(shown, ...progress(rows, event, style));
    case 'tool-end':
      return isLead && event.entry.copiedFrom ? noted(shown, taken(event, event.entry.name, style)) : silent(shown);
    case 'handoff':
      return noted(shown, style('dim', handoff(event.entry)));
    case 'run-say':
      return noted(shown, style('dim', `▸ you to ${clean(event.agent)}: ${clean(event.text)}`));
    case 'compaction':
    case 'compaction-undo':
      return noted(shown, style('dim', `⇊ ${clean(event.agent)}: ${changed(event)}`));
    case 'approval-decide':
      return decided(shown, rows, event, style);
    case 'retry':
    case 'request-silent':
      return isReportedWait(event) ? noted(shown, style('yellow', formatWait(event))) : silent(shown);
    case 'notice':
      return noted(shown, style(NOTICE_INK[event.level], clean(event.text)));
    case 'workflow-end':
      return workflowEnd(shown, event, style);
    case 'workflow-start':
    case 'run-queue':
    case 'approval-request':
    case 'turn-start':
    case 'turn-end':
    case 'message-start':
    case 'request-start':
    case 'message-part':
    case 'tool-start':
    case 'usage':
    case 'plan-change':
    case 'memory-change':
    case 'grant-change':
    case 'change-undo':
    case 'workflow-fork':
    case 'limit-change':
    case 'context-request':
    case 'context-end':
    case 'thinking-delta':
    case 'tool-delta':
    case 'tool-output':
      return silent(shown);
  }
}

/**
 * A pipe gets only the result of a lead with a control flow, with stages or with reviews. A terminal also shows the
 * superseded answers.
 */
function started(shown: Shown, rows: ProjectedRows, { runId, parentRunId, envelope }: Durable<'run-start'>): Shown {
  const { flow, stages, reflection } = envelope;
  const isResultOnly = shown.isPiped && (flow !== undefined || stages.length > 0 || Boolean(reflection));
  if (parentRunId === null) return { ...shown, isResultOnly };
  return isLeadStage(rows, runId) ? { ...shown, spoke: false } : shown;
}

function isLeadStage(rows: ProjectedRows, runId: string): boolean {
  const own = rows.get('run', runId);
  return own?.kind === 'chain' && rows.get('run', own.parentRunId ?? '')?.kind === 'lead';
}

function ended(shown: Shown, event: Durable<'message-end'>, style: Style): Step {
  const { agent, entry, parentRunId } = event;
  if (entry.kind === 'system' && entry.review)
    return noted(shown, style('dim', `◇ ${clean(agent)}: ${clean(entry.text)}`));
  if (entry.kind !== 'assistant') return silent(shown);
  const isPrinted = parentRunId === null && !shown.isResultOnly;
  return withCut(isPrinted ? answered(shown, event, entry, style) : silent(shown), event, style);
}

/** Formats a duration. Leaves out a decimal that is zero. */
function formatShort(ms: number): string {
  return duration(ms).replace('.0 s', ' s');
}

function formatWait(event: Extract<AgentEvent, { type: 'retry' | 'request-silent' }>): string {
  const agent = clean(event.agent);
  if (event.type === 'request-silent') return `↻ ${agent}: no answer for ${formatShort(event.silentMs)}`;
  const next = event.delayMs === 0 ? 'trying again' : `next try in ${formatShort(event.delayMs)}`;
  return `↻ ${agent}: waiting for the provider, ${next}: ${clean(event.error.message)}`;
}

function changed({ type, entry }: Durable<'compaction' | 'compaction-undo'>): string {
  if (type === 'compaction') return compactionText(entry);
  return entry.undone ? 'the compaction of its context was undone' : 'the compaction of its context holds again';
}

const silent = (shown: Shown) => ({ shown, pieces: [] });

function noted(shown: Shown, ...lines: string[]): Step {
  return { shown, pieces: lines.map((text) => ({ to: 'note', text })) };
}

/** Hints may be lost or merged: only what continues the shown text is printed, the end brings the rest. */
function delta(shown: Shown, event: Hint, style: Style): Step {
  const { messageId, part, offset, text } = event;
  const before = lengthShown(shown, messageId, part);
  const rest = offset > before ? '' : text.slice(before - offset);
  return speak(shown, { messageId, part }, rest, anewOf(event, style));
}

/** With a note that it was not asked for, where it was not. */
function answered(shown: Shown, event: AgentEvent, entry: AssistantEntry, style: Style): Step {
  const step = messageEnd(shown, entry, anewOf(event, style));
  if (!entry.copiedFrom) return step;
  return { ...step, pieces: [...step.pieces, { to: 'note', text: taken(event, 'response', style) }] };
}

function taken({ agent }: AgentEvent, what: string, style: Style): string {
  return style('dim', `≡ ${clean(agent)}: ${clean(what)} ${COPIED_TEXT}`);
}

function messageEnd(start: Shown, entry: AssistantEntry, anew: string): Step {
  const { messageId } = entry;
  let shown = start;
  const pieces: Piece[] = [];
  for (const [part, value] of entry.parts.entries()) {
    if (value.type !== 'text') continue;
    const rest = value.text.slice(lengthShown(shown, messageId, part));
    const step = speak(shown, { messageId, part }, rest, anew);
    shown = step.shown;
    pieces.push(...step.pieces);
  }
  if (shown.midLine) pieces.push({ to: 'data', text: '\n' });
  const cut = shown.messageId === messageId ? entry.interrupted : isCut(shown);
  return { shown: { ...shown, messageId: null, parts: new Map(), cut, midLine: false }, pieces };
}

/** The note that the rest of a response is lost, where it is. */
function withCut({ shown, pieces }: Step, { agent, entry }: Durable<'message-end'>, style: Style): Step {
  if (entry.kind !== 'assistant' || !entry.cut) return { shown, pieces };
  const text = style('yellow', `${clean(agent)}: ${clean(cutText(entry.cut))}`);
  return { shown, pieces: [...pieces, { to: 'note', text }] };
}

function lengthShown({ messageId, parts }: Shown, ofMessage: string, part: number): number {
  return messageId === ofMessage ? (parts.get(part) ?? 0) : 0;
}

/** A message whose end never came was being written when its program died. */
function isCut({ cut, messageId }: Shown): boolean {
  return cut || messageId !== null;
}

/** `anew`: the note before words that repeat what was cut off. */
function speak(start: Shown, at: Pick<Hint, 'messageId' | 'part'>, text: string, anew: string): Step {
  if (text === '') return silent(start);
  const { messageId, part } = at;
  const isNext = start.messageId !== messageId;
  const isAnew = isNext && isCut(start);
  const shown = isNext ? { ...start, messageId, parts: new Map<number, number>(), cut: false } : start;
  const before = shown.parts.get(part) ?? 0;
  // A text that names where its words are from comes in pieces.
  const isMidLine = before === 0 && shown.midLine && !shown.parts.has(part - 1);
  const pieces: Piece[] = [];
  if (isMidLine) pieces.push({ to: 'data', text: '\n' });
  if (isAnew) pieces.push({ to: 'note', text: anew });
  pieces.push({ to: 'data', text });
  const parts = new Map(shown.parts).set(part, before + text.length);
  return { shown: { ...shown, parts, midLine: !text.endsWith('\n'), spoke: true }, pieces };
}

function anewOf({ agent }: AgentEvent, style: Style): string {
  return style('yellow', `↻ ${clean(agent)}: the answer above was cut off, and starts again here:`);
}

/** One line each way, quiet: what is handed over stands in the history. */
function handoff({ from, to, runId, round, rounds, back }: HandoffEntry): string {
  const way = `⇄ ${clean(from)} → ${clean(to)}`;
  if (!back) return `${runId === null ? `⇄ ${clean(from)} goes on` : way}: round ${round} of ${rounds}`;
  const { verdict } = back.review ?? {};
  const said = verdict?.passed === false ? summaryOf(verdict.critique) : (back.error ?? '');
  return `${way}: ${back.review ? verdictOf(back.review) : back.outcome}${said === '' ? '' : `: ${clean(said)}`}`;
}

/**
 * The handoff shows the start and the answer of a coagent. Only the report of the last stage goes to the lead; in the chain
 * of a lead it is the result.
 */
function progress(rows: ProjectedRows, event: Durable<'run-start' | 'run-end'>, style: Style): string[] {
  const lines: string[] = [];
  const own = rows.get('run', event.runId);
  const first = own?.kind === 'chain' ? rows.get('run', own.parentRunId ?? '') : null;
  const stages = (first ?? own)?.envelope.stages.length ?? 0;
  const stage = first ? ` (stage ${own?.place} of ${stages} after ${clean(first.agent)})` : '';
  const runs = rows.all('run').map(({ row }) => row);
  const mark = markText(runs, event.runId, style);
  const isBetween = first?.kind === 'lead' || (first ? own?.place !== stages : stages > 0);
  observe(event, {
    onAgentSpawn: ({ text, attempt }) => {
      if (own?.kind === 'coagent' || event.copiedFrom) return;
      lines.push(mark + style(first ? 'dim' : 'cyan', `${clean(text)}${stage}${attempt > 1 ? ' (resumed)' : ''}`));
    },
    onAgentComplete: ({ agent, text }) => {
      if (event.type !== 'run-end' || own?.kind === 'coagent') return;
      const figures = event.copiedFrom ? COPIED_TEXT : `${duration(event.durationMs)} · ${tokens(event.usage)}`;
      lines.push(`${mark}${style('green', '✓')} ${clean(agent)}${stage} ${style('dim', figures)}`);
      if (!isBetween) lines.push(harmless(text));
    },
    onAgentError: ({ text, message, severity }) => {
      lines.push(`${mark}${style(severity === 'error' ? 'red' : 'yellow', clean(text))}: ${clean(message)}`);
      if (event.type !== 'run-end' || !event.origin) return;
      const { traceId, parentChain, attempted } = event.origin;
      const chain = parentChain.map(clean).join(' → ');
      lines.push(style('dim', `  trace ${traceId} · ${chain} · ${clean(attempted)}`));
    },
  });
  return lines;
}

/** Answers of the person stand on the screen already. */
function decided(shown: Shown, rows: ProjectedRows, event: Durable<'approval-decide'>, style: Style): Step {
  const { decidedBy, allowed, reason, ruleId } = event.decision;
  if (decidedBy === 'person') return silent(shown);
  const rule = grantIdOf(ruleId) === null ? decidedBy : 'grant';
  const who = ruleId?.startsWith('approve:') ? `--approve ${ruleId.slice('approve:'.length)}` : rule;
  const title = clean(rows.get('approval', event.approvalId)?.request.title ?? 'a question');
  const why = reason === null ? '' : ` (${clean(reason)})`;
  return noted(shown, style('dim', `${allowed ? 'approved' : 'not approved'} by ${who}: ${title}${why}`));
}

function workflowEnd(shown: Shown, event: Durable<'workflow-end'>, style: Style): Step {
  const pieces: Piece[] = [];
  if (shown.midLine) pieces.push({ to: 'data', text: '\n' });
  // A resumed workflow may have nothing left to say but what it had said before.
  if (!shown.spoke && event.text !== '')
    pieces.push({ to: 'data', text: event.text.endsWith('\n') ? event.text : `${event.text}\n` });
  // What stopped it from outside stands in the last line, with the command that goes on.
  if (event.error !== null && event.outcome !== 'interrupted' && event.outcome !== 'cancelled') {
    pieces.push({ to: 'note', text: style('red', `${event.error.code}: ${clean(event.error.message)}`) });
  }
  const summary = [event.outcome, duration(event.durationMs), tokens(event.usage), cost(event.usage.costUsd)].join(
    ' · ',
  );
  pieces.push({ to: 'note', text: style(event.outcome === 'completed' ? 'green' : 'red', summary) });
  return { shown: { ...shown, midLine: false }, pieces };
}
