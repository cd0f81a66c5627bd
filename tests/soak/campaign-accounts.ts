/** The accounts of the campaign of kills: compares the stored rows of requests with the requests that the server received. */
import type { WorkflowDetail } from '#contract/view.ts';
import type { RecordedRequest } from '../support/fake-model/server.ts';

/** Input tokens and requests: what the model's server counted, and what is stored of it. */
export interface Accounts {
  /** Sent to the server. */
  sent: number;
  sentInput: number;
  /** Of those, the ones whose count it has told. */
  toldInput: number;
  /** Of what was told, what nobody heard: who had asked was killed before. */
  unheardInput: number;
  /** Stored with that count. */
  reportedInput: number;
  /** Stored without one: the process did not live to store it, or was never told. */
  unknown: number;
  estimatedInput: number;
  /** Received by the server, without a row. Always 0: a request is sent after its start is durable. */
  missing: number;
}

const sum = (list: readonly number[]): number => list.reduce((total, tokens) => total + tokens, 0);

export function accountsOf(
  rows: WorkflowDetail['requests'],
  requests: readonly RecordedRequest[],
  killedAt: number,
): Accounts {
  const inputOf = (list: WorkflowDetail['requests']) => sum(list.map(({ inputTokens }) => inputTokens));
  const unknown = rows.filter(({ inputEstimated }) => inputEstimated);
  const counted = rows.filter(({ inputEstimated }) => !inputEstimated);
  const reported = counted.map(({ inputTokens }) => inputTokens);
  const told = requests.filter(({ begunAt }) => begunAt !== null);
  const lost = told.filter(({ input }) => !reported.includes(input));
  const unheard = lost.filter(({ begunAt, receivedAt }) => receivedAt < killedAt && Number(begunAt) > killedAt);
  return {
    sent: requests.length,
    sentInput: sum(requests.map(({ input }) => input)),
    toldInput: sum(told.map(({ input }) => input)),
    unheardInput: sum(unheard.map(({ input }) => input)),
    reportedInput: sum(reported),
    unknown: unknown.length,
    estimatedInput: inputOf(unknown),
    missing: Math.max(0, requests.length - rows.length),
  };
}

/**
 * Returns a line for each breach: a received request without a row, a count that the server did not send, or a sent count
 * that is neither reported nor unknown.
 */
export function findUnaccounted(rows: WorkflowDetail['requests'], requests: readonly RecordedRequest[]): string[] {
  const told = requests.filter(({ begunAt }) => begunAt !== null);
  const reported = rows.filter(({ inputEstimated }) => !inputEstimated).map(({ inputTokens }) => inputTokens);
  const lines = reported
    .filter((tokens) => tokens > 0 && !told.some(({ input }) => input === tokens))
    .map((tokens) => `accounts: ${tokens} tokens are reported that the server has not told`);
  if (requests.length > rows.length)
    lines.push(`lost: the server received ${requests.length} requests, and ${rows.length} are stored`);
  const unknown = rows.filter(({ inputEstimated }) => inputEstimated).length;
  const lost = told.filter(({ input }) => !reported.includes(input));
  if (lost.length > unknown)
    lines.push(`lost: answers of ${lost.map(({ input }) => input).join(', ')} tokens, and ${unknown} are unknown`);
  return lines;
}

/**
 * Maximum deviation of all totals, as a part of what the server counted. Up to a tenth of the requests has an estimate only,
 * and some of those were recorded and never sent, because the kill came between.
 */
const TOLERANCE = 0.02;

/** Of a whole campaign: with a few kills the tolerance may be missed by chance. */
export function misjudged({ sentInput, toldInput, reportedInput, estimatedInput }: Accounts): string[] {
  const lines: string[] = [];
  if (reportedInput > toldInput)
    lines.push(`accounts: ${reportedInput} tokens are reported, the server told ${toldInput}`);
  const off = Math.abs(reportedInput + estimatedInput - sentInput) / sentInput;
  if (off > TOLERANCE) lines.push(`accounts: ${(off * 100).toFixed(2)} % off what the server counted`);
  return lines;
}
