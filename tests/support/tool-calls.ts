/** Tool calls that the lead of an engine makes, and their results. */
import { expect } from 'vitest';
import type { ToolEntry } from '#contract/message.ts';
import type { Harness } from './engine.ts';
import { type Block, Script, text } from './fake-model/script.ts';

/** One response for each element, a call or several calls at once, and then the answer. */
export type CallsByStep = readonly (Block | readonly Block[])[];

export function scriptCalls(steps: CallsByStep): Script {
  const script = new Script();
  for (const [index, calls] of steps.entries()) script.on({ step: index + 1 }).reply([calls].flat());
  return script.on({}).reply([text('Done.')]);
}

/** Runs the calls in an engine and returns their entries in the order of the calls. */
export async function runCalls(
  steps: CallsByStep,
  start: (script: Script) => Promise<Harness>,
): Promise<{ engine: Harness; entries: ToolEntry[] }> {
  const calls = steps.flat().map((call, index) => ({ id: `call-${index}`, ...call }));
  const byStep = steps.map((step) => calls.splice(0, [step].flat().length));
  const ids = byStep.flat().map(({ id }) => id);
  const engine = await start(scriptCalls(byStep));
  expect((await engine.ask('Work')).outcome).toBe('completed');
  const entries = engine.of('tool-end').map(({ entry }) => entry);
  return {
    engine,
    entries: entries.toSorted((one, other) => ids.indexOf(one.toolCallId) - ids.indexOf(other.toolCallId)),
  };
}
