/** Answers the questions of one conversation from here: the person at the terminal, or one answer for all. */
import type { ApprovePolicy } from '#contract/agent.ts';
import type { Answer, Approval } from '#contract/approval.ts';
import type { AgentEvent } from '#contract/event.ts';
import { findProviderWait } from '#contract/messages/find-provider-wait.ts';
import type { Client } from '#contract/rpc.ts';
import type { ProviderWait } from '#contract/messages/provider-wait.ts';
import { createAsker } from './asker.ts';
import { lineOf, UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface Questions {
  /** Call for each event of the conversation. While a request waits, the person can send it again. */
  update(event: AgentEvent): void;
  close(): Promise<void>;
}

export async function answerQuestions(
  client: Client,
  screen: Screen,
  answers: Terminal | Answer,
  conversationId: string,
): Promise<Questions> {
  const belongs = ({ request }: Approval) => request.conversationId === conversationId;
  if ('kind' in answers) return answerAlike(client, screen, answers, belongs);
  const asker = createAsker(client, answers, screen, belongs);
  const waitingRuns = new Set<string>();
  const leave = await client.subscribe('attention', { canAnswer: true }, ({ questions }) => asker.update(questions));
  return {
    update: (event) => {
      const wait = findProviderWait(event);
      if (wait === undefined) return;
      if (wait === null || isShort(wait)) waitingRuns.delete(event.runId);
      else waitingRuns.add(event.runId);
      asker.offerTryNow(waitingRuns.size > 0 ? event.workflowId : null);
    },
    close: async () => {
      leave();
      await asker.close();
    },
  };
}

/** A shorter wait is over before a person can react; in milliseconds. */
const SHORT_WAIT_MS = 3000;

function isShort({ delayMs }: ProviderWait): boolean {
  return delayMs !== null && delayMs < SHORT_WAIT_MS;
}

const FINISH: Answer = { kind: 'reject', reason: '' };

/** Every open item gets the same answer, once. */
async function answerAlike(
  client: Client,
  screen: Screen,
  answer: Answer,
  belongs: (approval: Approval) => boolean,
): Promise<Questions> {
  const answered = new Set<string>();
  const leave = await client.subscribe('attention', { canAnswer: true, isAttended: false }, ({ questions }) => {
    for (const { request, decisions } of questions.filter(belongs)) {
      for (const [item, decision] of decisions.entries()) {
        const key = `${request.id}:${item}`;
        if (decision !== null || answered.has(key)) continue;
        answered.add(key);
        // A yes to everything extends no limit.
        const isLimit = request.subject.kind === 'limit';
        client
          .request('approval.decide', { approvalId: request.id, item, answer: isLimit ? FINISH : answer })
          .catch((error: unknown) => screen.note(lineOf(error)));
      }
    }
  });
  return { update: () => undefined, close: async () => leave() };
}

/** Who answers by default: the person where there is a terminal, otherwise nobody. A yes to everything is said, once. */
export async function terminalFor(
  io: Io,
  approve: ApprovePolicy | undefined,
): Promise<{ approve: ApprovePolicy; terminal: Terminal | null }> {
  if (approve === 'all') io.screen.note(ALL);
  if (approve === 'all' || approve === 'none') return { approve, terminal: null };
  const terminal = await io.openTerminal();
  if (approve === 'ask' && terminal === null)
    throw new UsageError('--approve ask needs a terminal to ask on: use --approve all or --approve none');
  return { approve: approve ?? (terminal === null ? 'none' : 'ask'), terminal };
}

const ALL =
  'triad: --approve all: every question of this run is answered yes, also about what cannot be undone, except what a rule denies, files with their keys, and changed files that can start programs; each answer is recorded';
