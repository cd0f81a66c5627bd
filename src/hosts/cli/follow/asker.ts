/** Asks the person at the terminal, one question after the other, and sends the answers to the runtime. */
import { irreversibleText } from '#contract/irreversible-text.ts';
import type { Envelope } from '#contract/agent.ts';
import type { Answer, Approval } from '#contract/approval.ts';
import type { Client } from '#contract/rpc.ts';
import { isOwnWish, spawnItems } from '#contract/spawn-items.ts';
import { lengthOf } from '#contract/visible-text.ts';
import { hasCode, lineOf } from '../terminal/failure.ts';
import { grantLetters, grantText, wishOf } from './grant-choices.ts';
import { AskBack } from './ask-back.ts';
import { TryNowOffer } from './try-now-offer.ts';
import { askLimit } from './ask-limit.ts';
import { askReplies } from './ask-replies.ts';
import { questionText } from '../render/question-text.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';

export interface Asker {
  /** Sets the open questions. A question that is not among them is withdrawn. */
  update(questions: readonly Approval[]): void;
  /** Offers to send the waiting requests of this workflow again at once; null ends the offer. */
  offerTryNow(workflowId: string | null): void;
  /** Ends the asker. Resolves when no question is open on the terminal. */
  close(): Promise<void>;
}

interface Slot {
  approval: Approval;
  item: number;
  key: string;
}

type Belongs = (approval: Approval) => boolean;

/** Creates the asker. It asks only questions for which `belongs` returns true. */
export function createAsker(client: Client, terminal: Terminal, screen: Screen, belongs: Belongs): Asker {
  const back = new AskBack(client);
  let open: Slot[] = [];
  const done = new Set<string>();
  let current: { key: string; controller: AbortController } | null = null;
  const offer = new TryNowOffer(client, terminal, screen);
  let working: Promise<void> | null = null;
  let closed = false;

  const work = async () => {
    for (;;) {
      const slot = next();
      if (slot === undefined) {
        if (!offer.isOpen) break;
        await offer.waitForEnter();
        continue;
      }
      const controller = new AbortController();
      current = { key: slot.key, controller };
      screen.hold();
      try {
        await handOver(client, slot, await askOne(terminal, slot, back, controller.signal));
        done.add(slot.key);
      } catch (error) {
        terminal.write(`${controller.signal.aborted ? 'The question is closed.' : lineOf(error)}\n`);
        // Asks again after an invalid answer, but not if another client has answered.
        if (controller.signal.aborted || !hasCode(error, 'bad_input', 'not_allowed')) done.add(slot.key);
      } finally {
        current = null;
        screen.release();
      }
    }
    working = null;
  };
  const next = () => (closed ? undefined : open.find(({ key }) => !done.has(key)));

  return {
    update: (questions) => {
      if (closed) return;
      back.update(questions);
      open = questions.filter(belongs).flatMap(slotsOf);
      if (current !== null && !open.some(({ key }) => key === current?.key)) current.controller.abort();
      // Questions have priority over an offer.
      if (next() !== undefined) offer.withdraw();
      working ??= next() === undefined ? null : work();
    },
    offerTryNow: (workflowId) => {
      if (workflowId === null) offer.withdraw();
      if (closed || workflowId === null || next() !== undefined) return;
      offer.openFor(workflowId);
      working ??= work();
    },
    close: async () => {
      closed = true;
      offer.withdraw();
      current?.controller.abort();
      await working;
    },
  };
}

async function handOver(client: Client, { approval, item }: Slot, answer: Answer | 'stop'): Promise<void> {
  const { id: approvalId, runId } = approval.request;
  if (answer === 'stop') await client.request('run.stop', { runId });
  else await client.request('approval.decide', { approvalId, item, answer });
}

/** Returns the items without an answer. */
function slotsOf(approval: Approval): Slot[] {
  return approval.decisions.flatMap((decision, item) =>
    decision === null ? [{ approval, item, key: `${approval.request.id}:${item}` }] : [],
  );
}

/** Asks until the answer is clear. A closed terminal rejects. */
async function askOne(
  terminal: Terminal,
  { approval, item }: Slot,
  back: AskBack,
  signal: AbortSignal,
): Promise<Answer | 'stop'> {
  const { request } = approval;
  const asked = spawnItems(request.subject)[item]?.envelope ?? null;
  // A request of the person has no agent that could explain it.
  const isOwn = isOwnWish(request.subject);
  const isControl = request.subject.kind === 'control-files';
  let envelope: Envelope | null = asked;
  const editor = envelope === null ? null : terminal.edit;
  const show = () => {
    const text = questionText(request, item, envelope, terminal.style);
    terminal.write(`\n${text}\n${terminal.fits(text) ? '' : tooLong(text)}`);
  };
  show();
  if (request.subject.kind === 'limit') return askLimit(terminal, request.subject, signal);
  if (request.subject.kind === 'questions') {
    await terminal.discardTyped(signal);
    return askReplies(terminal, request.subject.questions, signal);
  }
  for (;;) {
    // An edited call can be allowed only once.
    const offer = envelope === asked ? request.grant : undefined;
    if (offer) terminal.write(`${grantText(offer)}\n`);
    const choices = [
      ...['[y]es', '[n]o', ...(editor === null ? [] : ['[e]dit the prompt'])],
      ...(offer ? [grantLetters(offer)] : []),
      ...(isOwn ? [] : ['[?] ask first']),
    ];
    await terminal.discardTyped(signal);
    const line = await terminal.ask(
      `${isOwn ? 'You asked for this. Start it?' : isControl ? 'Keep the changes?' : 'Allow?'} ${choices.join(', ')}, then Enter: `,
      signal,
    );
    const answer = line?.trim().toLowerCase() ?? null;
    if (answer === null) return { kind: 'reject', reason: 'The terminal was closed without an answer' };
    const grant = offer ? wishOf(answer, offer) : null;
    if (answer === 'y' || answer === 'yes' || grant) {
      if (!request.reversible && !(await isConfirmed(terminal, request, signal))) continue;
      const confirmed = request.reversible ? {} : { confirmed: true as const };
      return envelope === asked || envelope === null
        ? { kind: 'allow', ...confirmed, ...(grant ? { grant } : {}) }
        : { kind: 'edit', value: envelope, ...confirmed };
    }
    if (answer === 'n' || answer === 'no')
      return { kind: 'reject', reason: isOwn ? '' : await whyNot(terminal, signal) };
    if (answer === '?' && !isOwn) await askBack(terminal, request, back, signal);
    if ((answer === 'e' || answer === 'edit') && editor !== null && envelope !== null) {
      const prompt = await editor(envelope.prompt, signal);
      if (prompt === null || prompt.trim() === '')
        terminal.write('Nothing was changed: the editor failed, or left no text.\n');
      else if (prompt !== envelope.prompt) envelope = { ...envelope, prompt };
      show();
    }
  }
}

async function whyNot(terminal: Terminal, signal: AbortSignal): Promise<string> {
  return (await terminal.ask('Why not? (the agent reads it; may be empty) ', signal))?.trim() ?? '';
}

/** Note of a question that is longer than the screen. */
function tooLong(text: string): string {
  return `  (${lengthOf(text).lines.toLocaleString('en-US')} lines, more than the screen shows: scroll up to "── Approval" to read all of them)\n`;
}

/** Asks the agent for more details, which decide nothing. An empty question is not sent. */
async function askBack(
  terminal: Terminal,
  { id, agent }: Approval['request'],
  back: AskBack,
  signal: AbortSignal,
): Promise<void> {
  const question = (await terminal.ask('What do you want to know? ', signal))?.trim() ?? '';
  if (question === '') return;
  try {
    const { answer, error } = await back.ask(id, question, signal);
    terminal.write(`${visible(agent)}: ${visible(answer ?? error ?? '')}\n`);
  } catch (error) {
    signal.throwIfAborted();
    terminal.write(`${lineOf(error)}\n`);
  }
}

/** Confirms an irreversible action by a whole word, which cannot be typed by accident. */
async function isConfirmed(
  terminal: Terminal,
  { subject }: Approval['request'],
  signal: AbortSignal,
): Promise<boolean> {
  await terminal.discardTyped(signal);
  const words = await terminal.ask(`${irreversibleText(subject)}. Type "confirm" to allow it: `, signal);
  return words?.trim().toLowerCase() === 'confirm';
}
