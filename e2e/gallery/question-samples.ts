/** Sample questions for the gallery: starts of sub-agents, and calls. */
import type { Approval, ApprovalRequest } from '#contract/approval.ts';
import type { RunRow } from '#contract/view.ts';
import { waitingList, type Waiting } from '#lib/view/waiting-list.ts';

const AT = '2026-01-02T03:04:05.000Z';

function asks(id: string, title: string, more: Partial<ApprovalRequest>): Approval {
  const request = {
    id,
    conversationId: 'conversation',
    workflowId: 'workflow',
    runId: 'lead',
    toolCallId: `call-${id}`,
    agent: 'lead',
    chain: ['user', 'lead'],
    title,
    description: '',
    options: [],
    risk: 'low',
    reversible: true,
    remainingMs: 300_000,
    at: AT,
    subject: { kind: 'tool', tool: 'bash', input: {}, folder: '/', hash: 'h' },
    ...more,
  };
  return { request, decisions: [null] } as Approval;
}

/** Returns a question about the start of a sub-agent. */
export function startOf({ id, title, envelope }: RunRow): Approval {
  const items = [{ runId: id, title, envelope, hash: 'h' }];
  return asks(`start-${id}`, title, { subject: { kind: 'envelopes', operation: 'spawn', items } as never });
}

/** Returns a question about a call. */
export function callOf({ id, agent }: RunRow): Approval {
  return asks(`ask-${id}`, 'Run npm test', { runId: id, agent, chain: ['user', 'lead', agent], risk: 'medium' });
}

/** One question of each kind and risk. */
export function waitingOnes(start: RunRow): Waiting[] {
  return waitingList({
    questions: [
      startOf(start),
      asks('never', 'Send the letter', { risk: 'high', reversible: false }),
      asks('high', 'Run rm -rf dist', { risk: 'high' }),
      asks('low', 'Write docs/one.md', {}),
    ],
    asleep: [],
    running: [],
    interrupted: [
      {
        conversationId: 'conversation',
        workflowId: 'cut',
        title: 'Look at the parser',
        agent: 'lead',
        at: AT,
      },
    ],
    signIns: [{ server: 'wiki', at: AT }],
  });
}
