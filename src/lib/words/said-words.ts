/** What core says in sentences of its own: on the screen, in the language that is spoken. Here they are as core has them. */
import type { Fault } from '#contract/agent.ts';
import type { ApprovalRequest } from '#contract/approval.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import type { UndoneFile } from '#contract/change.ts';
import { cutLine } from '#contract/cut-limits-text.ts';
import { servingText, worstText } from '#contract/flows/serving-text.ts';
import type { StoreNotice } from '#contract/history/store-notice.ts';
import { missingText, unlistedText } from '#contract/missing-text.ts';
import { ownActionsText } from '#contract/own-actions-text.ts';
import type { Verdict, VerdictStep } from '#contract/permission.ts';
import { lengthWords, type Piece } from '#contract/visible-text.ts';
import type { TrustItem } from '#contract/trust.ts';

/** An error: its code, and its message, also as keys and values. */
interface Failure {
  code: string;
  message: string;
  says?: readonly Phrase[] | undefined;
}

export const saidWords = {
  title: ({ title }: Pick<ApprovalRequest, 'title' | 'says'>) => title,
  description: ({ description }: Pick<ApprovalRequest, 'description' | 'says'>) => description,
  step: ({ text }: Pick<VerdictStep, 'text' | 'says'>) => text,
  reason: ({ reason }: Pick<NonNullable<Verdict['parts']>[number], 'reason' | 'says'>) => reason,
  /** What is wrong in an agent's file. */
  fault: ({ message }: Pick<Fault, 'message' | 'says'>) => message,
  /** After the title of what wants to be done. */
  asks: '?',
  ownActions: ownActionsText,
  serving: servingText,
  worst: worstText,
  cut: cutLine,
  length: lengthWords,
  missing: missingText,
  unlisted: unlistedText,
  notice: ({ message }: StoreNotice) => `${message}.`,
  /** What stands for what cannot be seen. */
  mark: ({ text }: Piece) => text,
  /** What an error says; `code` of `ErrorInfo`, or empty. */
  error: (_code: string, message: string) => message,
  /** What core says of it, below that; empty where it is the same. */
  detail: (_code: string, _message: string) => '',
  /** Both in one line. */
  failure: ({ message }: Failure) => message,
  /** What a file does that asks for trust. */
  trust: ({ says }: Pick<TrustItem, 'says' | 'phrases'>) => says,
  /** Why a file is not undone. */
  why: ({ why = '' }: Pick<UndoneFile, 'why' | 'says'>) => why,
} as const;
