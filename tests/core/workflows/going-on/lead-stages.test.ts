/** A fork that goes on from a step of a lead that other agents follow, or from a step of one of these. */
import { expect, test } from 'vitest';
import { chainScript, startLed } from '../../../support/flows/chains.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { asked, goOn, told } from './going-on.ts';

const { start } = sharedEngine();

test('a fork at a step of a lead chain repeats only the agents after the step and requires no approval', async () => {
  const { questions, person } = asked();
  const engine = await startLed(chainScript(), 'research', { person }, { start });
  const { workflowId } = await engine.ask('Find facts.');
  const first = await told(engine, workflowId);
  const asks: Record<string, string[]> = {};
  for (const run of first.runs)
    for (const { n } of await engine.runtime.request('run.entries', { runId: run.id })) {
      const fork = await goOn(engine, { workflowId, runId: run.id, entry: n });
      expect(fork.runs.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
      asks[`${run.agent} ${n}`] = fork.asks.map(({ seen }) => /You (\w+)\./.exec(seen.system)?.[1] ?? '');
    }
  expect(asks).toEqual({
    'research 0': ['research', 'draft', 'polish'],
    'research 1': ['draft', 'polish'],
    'draft 0': ['draft', 'polish'],
    'draft 1': ['polish'],
    'polish 0': ['polish'],
    'polish 1': [],
  });
  expect(questions).toEqual([]);
});
