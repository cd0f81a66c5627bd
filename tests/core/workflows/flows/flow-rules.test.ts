/** Rules and grants about who is started count for all that serve a sub-agent: the stages of its chain, and coagents. */
import { expect, test } from 'vitest';
import type { Answer, Approval } from '#contract/approval.ts';
import { withAgents } from '../../../support/compose.ts';
import { CHAIN, chainScript, startChain } from '../../../support/flows/chains.ts';
import { done, pair, PAIR, startFlow } from '../../../support/flows/flows.ts';
import { delegateTo, LEAD } from '../../../support/fake-model/scenarios.ts';
import { Script } from '../../../support/fake-model/script.ts';
import { variations } from '../../../support/samples.ts';
import { folderWith } from '../../../support/workspace.ts';

const rules = (...lines: string[]) =>
  lines.map((line) => `[[permissions.rules]]\ntool = "delegate_task"\n${line}\n`).join('');
const settings = async (...lines: string[]) => ({ configFolder: await folderWith({ 'config.toml': rules(...lines) }) });

test('a deny rule for a later agent of a chain rejects the whole chain', async () => {
  const engine = await startChain(chainScript(), await settings('effect = "deny"\npattern = "polish"'));
  const end = await engine.ask('Go', 'all');
  expect(end.subAgents).toMatchObject([{ agent: 'research', outcome: 'rejected' }]);
  expect(engine.of('run-start').map(({ agent }) => agent)).toEqual(['lead']);
});

test('a deny rule for a coagent rejects the composition', async () => {
  const engine = await startFlow(pair(['The page.'], { page: done('Fits.') }), {
    ...(await settings('effect = "deny"\npattern = "checker"')),
    flow: { type: 'judge' },
    as: 'sub',
  });
  const end = await engine.ask('Go', 'all');
  expect(end.subAgents).toMatchObject([{ agent: PAIR, outcome: 'rejected' }]);
});

test('permissions.explain reports the deny rule for a stage as the effect on the whole chain', async () => {
  const engine = await startChain(chainScript(), await settings('effect = "deny"\npattern = "polish"'));
  const call = { agent: 'lead', tool: 'delegate_task', folder: engine.folder };
  const explained = (agent: string) =>
    engine.runtime.request('permissions.explain', {
      ...call,
      input: { operation: 'delegate', agent_id: agent, prompt: 'Find facts.' },
    });
  expect(await explained('research')).toMatchObject({ effect: 'deny' });
  expect(await explained('code-reviewer')).toMatchObject({ effect: 'ask' });
});

test.for(
  variations([
    [['research', 'draft'], 1],
    [['research', 'draft', 'polish'], 0],
    [['research'], 1],
    [['{research,draft,polish}'], 0],
  ] as const),
)('with %j allowed by rules, a chain of three agents needs %d approvals', async ([allowed, asked]) => {
  const lines = allowed.map((pattern) => `effect = "allow"\npattern = "${pattern}"`);
  const engine = await startChain(chainScript(), await settings(...lines));
  await engine.ask('Go');
  expect(engine.of('approval-decide').filter(({ decision }) => decision.decidedBy === 'person')).toHaveLength(asked);
});

test('a grant for a chain covers only its current stages, so that a longer chain needs approval again', async () => {
  const script = chainScript();
  script.rules.unshift(...new Script().on({ ...LEAD, step: 1 }).reply([delegateTo('research', 'Find facts.')]).rules);
  const person = ({ request: { grant } }: Approval): Answer => ({
    kind: 'allow',
    ...(grant ? { grant: { scope: 'conversation', pattern: grant.pattern } } : {}),
  });
  const [research, draft] = CHAIN;
  const short = [research!, { ...draft!, next: [] }];
  const engine = await startChain(script, { person }, short);
  await engine.ask('Go');
  await engine.ask('Again');
  const by = () => engine.of('approval-decide').map(({ decision }) => decision.decidedBy);
  expect(engine.of('approval-request')[0]?.approval.grant?.pattern).toBe('{research,draft}');
  expect(by()).toEqual(['person', 'rule']);
  withAgents(engine.agents, CHAIN);
  await engine.ask('Once more');
  expect(by()).toEqual(['person', 'rule', 'person']);
});
