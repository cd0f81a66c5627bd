// A stop says what it ended, and what of the same workflow goes on.
import { expect, it } from 'vitest';
import type { StopReceipt } from '#contract/view.ts';
import { stopReceipt } from '#lib/words/shell-words.ts';

const receipt = (rest: Partial<StopReceipt>): StopReceipt => ({
  agents: 1,
  requests: 0,
  tools: 0,
  approvals: 0,
  left: 0,
  ended: [],
  goOn: [],
  withdrawn: [],
  queued: 0,
  ...rest,
});
const lead = { agent: 'lead', place: 0 };
const [one, two, four] = [1, 2, 4].map((place) => ({ agent: `agent-${place}`, place })) as [
  ...[typeof lead, typeof lead, typeof lead],
];

it('names the stopped agents with their work, and the agents that continue', () => {
  expect(stopReceipt(receipt({ requests: 1, ended: [two], goOn: [lead, one] }))).toBe(
    'Stopped ■ agent-2 (1 request). ● agent-1 and the lead go on.',
  );
  expect(stopReceipt(receipt({ ended: [one], goOn: [lead] }))).toBe('Stopped ● agent-1. The lead goes on.');
});

it('states that nothing runs only if all stopped runs have ended', () => {
  expect(stopReceipt(receipt({ tools: 2, approvals: 1, ended: [lead, one, two] }))).toBe(
    'Stopped ● agent-1, ■ agent-2 and the lead (2 tool calls, 1 question). Nothing is left running.',
  );
  expect(stopReceipt(receipt({ left: 1, ended: [four] }))).toBe('Stopped ● agent-4. 1 is still ending.');
  expect(stopReceipt(receipt({ agents: 2, left: 2, goOn: [one] }))).toBe(
    'Stopped 2 agents. 2 are still ending. ● agent-1 goes on.',
  );
});

it('names queued messages: returned to the message box, or about to start', () => {
  expect(stopReceipt(receipt({ requests: 1, ended: [lead], withdrawn: ['a'] }))).toBe(
    'Stopped the lead (1 request). Nothing is left running. Your queued message is back in the box.',
  );
  expect(stopReceipt(receipt({ agents: 0, withdrawn: ['a', 'b'] }))).toBe(
    'Your 2 queued messages are back in the box.',
  );
  expect(stopReceipt(receipt({ ended: [lead], queued: 1 }))).toBe('Stopped the lead. The queued message starts.');
  expect(stopReceipt(receipt({ ended: [lead], left: 1, queued: 2 }))).toBe(
    'Stopped the lead. 1 is still ending. After that, the first of 2 queued messages starts.',
  );
});
