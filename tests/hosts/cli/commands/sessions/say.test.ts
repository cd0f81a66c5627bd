/** `triad sessions say`: a word to a sub-agent that works; where nobody would read it, one line says why. */
import { expect, test } from 'vitest';
import { CHILD, LEAD, spawn } from '../../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../../support/fake-model/script.ts';
import { Gate } from '../../../../support/gate.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { commandLine } from '../../../support/memory-io.ts';

const { start } = sharedEngine();

test('say sends the text to a running sub-agent, and fails once that sub-agent has ended', async () => {
  const first = new Gate();
  const script = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Look.' })])
    .on(LEAD)
    .reply([text('Done.')])
    .on({ ...CHILD, step: 1 })
    .reply([toolUse('list_directory', { path: '.' })], { hold: first.at(1) })
    .on(CHILD)
    .reply([text('# Report\n\nSeen.')]);
  const engine = await start(script);
  const { workflowId } = await engine.send('Go');
  await first.reached;
  const { runId } = engine.of('run-queue').find(({ parentRunId }) => parentRunId !== null)!;
  const say = (...args: string[]) => commandLine(engine.runtime)('sessions', 'say', ...args);
  expect(await say(runId.slice(0, 30), 'Leave the tests out')).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringContaining(`Said to run ${runId}`) as string,
  });
  expect(engine.of('run-say')).toMatchObject([{ runId, text: 'Leave the tests out' }]);
  first.open();
  await engine.ended(workflowId);
  expect(await say(runId, 'Too late')).toMatchObject({ code: 1, err: expect.stringContaining('has ended') as string });
  expect(await say('no such run', 'x')).toMatchObject({ code: 2 });
});
