/** Follows one workflow to its end on the screen: output, questions, and the stop that the person asks for. */
import type { ApprovePolicy } from '#contract/agent.ts';
import type { Answer, Approval } from '#contract/approval.ts';
import type { AgentEvent } from '#contract/event.ts';
import type { Client } from '#contract/rpc.ts';
import { createAsker } from './asker.ts';
import { EXIT, Interruption, lineOf } from './failure.ts';
import type { Io } from './io.ts';
import { linesOf, NOTHING_SHOWN } from './lines.ts';
import type { Screen } from './screen.ts';
import type { Terminal } from './terminal.ts';
import { harmless } from './visible.ts';

export interface Following {
  conversationId: string;
  json: boolean;
  /** How questions are answered from here: at the terminal, all alike, or not at all (the runtime does it). */
  answers: Terminal | Answer | null;
  /** Sets the workflow going; its events may come before its id does. */
  start: () => Promise<string>;
}

type End = Extract<AgentEvent, { type: 'workflow-end' }>;

/** Resolves with the exit code once the workflow has ended. */
export async function follow(
  io: Io,
  client: Client,
  failed: AbortSignal,
  following: Following,
): Promise<number> {
  const { screen, signal } = io;
  const { conversationId, answers } = following;
  signal.throwIfAborted();
  let workflowId: string | null = null;
  const early: AgentEvent[] = [];
  const ended = Promise.withResolvers<End>();
  const show = following.json ? jsonPrinter(screen) : linePrinter(screen);
  const take = (event: AgentEvent) => {
    if (event.workflowId !== workflowId) return;
    show(event);
    if (event.type === 'workflow-end') ended.resolve(event);
  };
  const fail = () => ended.reject(failed.reason as Error);
  failed.addEventListener('abort', fail, { once: true });
  ended.promise.catch(() => undefined);

  const leave = await client.subscribe('conversation', { conversationId }, (event) => {
    if (workflowId === null) early.push(event);
    else take(event);
  });
  let questions: Questions | null = null;
  try {
    if (answers !== null) questions = await answerQuestions(client, screen, answers, conversationId);
    workflowId = await following.start();
    const stop = stopper(client, screen, workflowId);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    for (const event of early.splice(0)) take(event);
    const end = await ended.promise;
    signal.removeEventListener('abort', stop);
    if (end.outcome === 'completed') return EXIT.ok;
    if (signal.reason instanceof Interruption) return signal.reason.exitCode;
    return end.outcome === 'cancelled' ? EXIT.interrupt : EXIT.failure;
  } finally {
    failed.removeEventListener('abort', fail);
    leave();
    await questions?.close();
  }
}

function jsonPrinter(screen: Screen): (event: AgentEvent) => void {
  return (event) => screen.data(safe(screen, `${JSON.stringify(event)}\n`));
}

function linePrinter(screen: Screen): (event: AgentEvent) => void {
  let shown = NOTHING_SHOWN;
  return (event) => {
    const step = linesOf(shown, event, screen.noteStyle);
    shown = step.shown;
    for (const { to, text } of step.pieces) {
      if (to === 'note') screen.note(text);
      else screen.data(safe(screen, text));
    }
  };
}

/** A pipe or file gets the very text; a terminal must not be commanded by it. */
function safe(screen: Screen, text: string): string {
  return screen.isTerminal ? harmless(text) : text;
}

/** The end comes as an event; only a stop that fails is worth a word. */
function stopper(client: Client, screen: Screen, workflowId: string): () => void {
  return () => {
    client
      .request('workflow.stop', { workflowId })
      .catch((error: unknown) => screen.note(`cannot stop: ${lineOf(error)}`));
  };
}

interface Questions {
  close(): Promise<void>;
}

async function answerQuestions(
  client: Client,
  screen: Screen,
  answers: Terminal | Answer,
  conversationId: string,
): Promise<Questions> {
  const belongs = ({ request }: Approval) => request.conversationId === conversationId;
  if ('kind' in answers) return answerAlike(client, screen, answers, belongs);
  const asker = createAsker(client, answers, screen, belongs);
  const leave = await client.subscribe('attention', { canAnswer: true }, ({ questions }) =>
    asker.update(questions),
  );
  return {
    close: async () => {
      leave();
      await asker.close();
    },
  };
}

/** Every open item gets the same answer, once. */
async function answerAlike(
  client: Client,
  screen: Screen,
  answer: Answer,
  belongs: (approval: Approval) => boolean,
): Promise<Questions> {
  const answered = new Set<string>();
  const leave = await client.subscribe('attention', { canAnswer: true }, ({ questions }) => {
    for (const { request, decisions } of questions.filter(belongs)) {
      for (const [item, decision] of decisions.entries()) {
        const key = `${request.id}:${item}`;
        if (decision !== null || answered.has(key)) continue;
        answered.add(key);
        client
          .request('approval.decide', { approvalId: request.id, item, answer })
          .catch((error: unknown) => screen.note(lineOf(error)));
      }
    }
  });
  return { close: async () => leave() };
}

/** Who answers by default: the person where there is a terminal, otherwise nobody. */
export async function terminalFor(
  io: Io,
  approve: ApprovePolicy | undefined,
): Promise<{ approve: ApprovePolicy; terminal: Terminal | null }> {
  if (approve === 'all' || approve === 'none') return { approve, terminal: null };
  const terminal = await io.openTerminal();
  return { approve: approve ?? (terminal === null ? 'none' : 'ask'), terminal };
}
