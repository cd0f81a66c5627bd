/** What the tests of one owner with many clients share. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import type { Machine, Started } from './process.ts';

export const waits = { timeout: 30_000 };

/** The process that owns the home now. */
export async function ownerPid({ home }: Machine): Promise<number> {
  return (JSON.parse(await readFile(join(home, 'instance.json'), 'utf8')) as { pid: number }).pid;
}

/** Lines that were printed whole; a process that was killed leaves half a line. */
export function eventsOf(out: string): AgentEvent[] {
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AgentEvent);
}

/** Answers of several pieces; the one to a prompt waits in its middle until it is let go. */
export function gated(prompts: readonly string[]): { script: Script; release: (prompt: string) => void } {
  const script = new Script();
  const gates = new Map(prompts.map((prompt) => [prompt, new Gate()]));
  for (const [prompt, gate] of gates) {
    const words = text(`The answer to ${prompt} is this.`, { deltas: 6 });
    script.on({ lastUser: new RegExp(prompt) }).reply([words], { hold: gate.at(5) });
  }
  return { script, release: (prompt) => gates.get(prompt)?.open() };
}

/** One end, at the end; no number twice or backwards. */
export function expectOneEnd(events: readonly AgentEvent[]): void {
  expect(events.filter(({ type }) => type === 'workflow-end')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: 'workflow-end', outcome: 'completed' });
  const numbers = events.flatMap((event) => ('seq' in event ? [event.seq] : []));
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
}

/** Waits until the process listens as the owner of its home. */
export async function becomesOwner(machine: Machine, { child }: Pick<Started, 'child'>): Promise<void> {
  await expect.poll(() => ownerPid(machine).catch(() => null), waits).toBe(child.pid);
}
