/** The question about a sub-agent tells of all that would serve it: what their own actions ask, and the most that all of them can use. */
import { expect, test } from 'vitest';
import { UNKNOWN } from '#core/model/providers/capabilities.ts';
import { worstCase } from '#core/runs/envelopes/worst-case.ts';
import { withAgents } from '../../support/compose.ts';
import { definitionOf } from '../../support/envelope.ts';
import { delegateTo, LEAD } from '../../support/fake-model/scenarios.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

test('an approval lists the actions of the coagent and the stages in the order of the envelope', async () => {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([delegateTo('both', 'Do it.')])
    .on({})
    .reply([text('Not done.')]);
  const engine = await start(script, { person: () => ({ kind: 'reject', reason: 'No' }) });
  const flow = (type: 'judge' | 'smart', coagent: string) =>
    ({ type, rounds: 2, primary: 'p', coagent, handoff: { type: 'static', text: 'Look' } }) as const;
  const definitions = [
    definitionOf({
      name: 'both',
      tools: ['read_file', 'write_file', 'edit_file'],
      flow: flow('judge', 'critic'),
      next: ['writer'],
    }),
    definitionOf({ name: 'critic', requiresApproval: ['read_file'] }),
    definitionOf({ name: 'writer', tools: ['write_file', 'edit_file'], flow: flow('smart', 'fixer') }),
    definitionOf({ name: 'fixer', tools: ['edit_file'], requiresApproval: ['edit_file'] }),
  ];
  withAgents(engine.agents, definitions, engine.folder);
  await engine.ask('Go');
  const [asked] = engine.of('approval-request');
  const item = asked?.approval.subject.kind === 'envelopes' ? asked.approval.subject.items[0] : undefined;
  const served = item?.served?.map(({ agent, ownActions: { writers, byMode, without } }) => [
    agent,
    writers,
    / wants you to be asked about ([\w, ]+)/.exec(writers.length > 0 ? byMode.manual : without)?.[1],
  ]);
  expect(served).toEqual([
    ['critic', [], 'read_file'],
    ['writer', ['write_file', 'edit_file'], undefined],
    ['fixer', ['edit_file'], 'edit_file'],
  ]);
  // Turns of both, critic twice, writer, and fixer twice, each with the report at its limit.
  const { maxIterations } = item!.envelope.limits;
  expect(item?.worst?.requests).toBe(6 * (maxIterations + 1));
  expect(item?.worst?.nanoUsd).toBeGreaterThan(0);
  const price = () => ({ nanoUsd: 1, priceVersion: null });
  const capabilities = () => ({ ...UNKNOWN, contextWindow: 1 });
  expect(worstCase(item!.envelope, { price, capabilities }).nanoUsd).toBe(item?.worst?.requests);
});
