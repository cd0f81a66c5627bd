/** A gate with nothing behind it: what is recorded is kept in memory. */
import { vi } from 'vitest';
import type { ApprovalRequest, Decision, Subject } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import { ApprovalGate, type AskingRun } from '#core/approvals/gate.ts';
import type { Payload } from '#core/store/log/recorder.ts';
import { envelopeOf } from '../../support/envelope.ts';

const TOOL: Subject = { kind: 'tool', tool: 'write_file', input: {}, folder: '/work', preview: null, hash: 'asked' };

export function spawnOf(...names: string[]): Subject {
  const items = names.map((name) => {
    const envelope = envelopeOf(name, `Task of ${name}`);
    return { runId: `run-${name}`, title: name, envelope, hash: `hash-${name}` };
  });
  return { kind: 'envelopes', operation: 'parallel', items };
}

export function requestOf(parts: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    id: 'q',
    conversationId: 'c',
    workflowId: 'w',
    runId: 'r',
    toolCallId: 't',
    agent: 'lead',
    chain: ['user', 'lead'],
    title: 'Write?',
    description: 'It writes',
    subject: TOOL,
    risk: 'medium',
    reversible: true,
    options: [],
    remainingMs: 60_000,
    at: '2026-03-01T12:00:00.000Z',
    ...parts,
  };
}

export function gateWith(parts: Partial<AskingRun> = {}) {
  const changes = vi.fn<() => void>();
  const gate = new ApprovalGate({ onChange: changes, saveClock: () => undefined });
  const controller = new AbortController();
  const recorded: Payload[] = [];
  const asking: AskingRun = {
    policy: 'ask',
    signal: controller.signal,
    revalidate: (_, value) => Promise.resolve({ value, hash: `hash of ${JSON.stringify(value)}` }),
    explain: () => Promise.resolve('Because.'),
    rulings: [],
    grant: () => () => undefined,
    record: (payload) => {
      recorded.push(structuredClone(payload));
      return Promise.resolve({} as DurableEvent);
    },
    ...parts,
  };
  const decisions = (): Decision[] =>
    recorded.flatMap((payload) => (payload.type === 'approval-decide' ? [payload.decision] : []));
  return { gate, asking, controller, recorded, decisions, changes };
}

/** For what hangs on a few resolved promises. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
