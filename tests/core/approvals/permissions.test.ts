/** Rules and grants on the real path: what is asked, what is not, and what the record says of it. */
import { readFile, writeFile as write } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import { sha256 } from '#core/base/hash.ts';
import { startEngine, type HarnessOptions } from '../../support/engine.ts';
import { batch, CHILD, spawnOne, writeFile } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const rule = (lines: string): string => `[[permissions.rules]]\n${lines}\n\n`;
const DENY = rule('effect = "deny"\ntool = "write_file"\npattern = "private/**"');
const ALLOW = rule('effect = "allow"\ntool = "write_file"\npattern = "docs/**"');

/** With rules of the person's own; `person` must not be asked where it is left out. */
async function engineWith(
  script: Script,
  rules: string,
  options: Pick<HarnessOptions, 'settings' | 'files' | 'person'> = {},
) {
  const person = (): Answer => {
    throw new Error('Nobody should be asked');
  };
  if (options.settings === undefined) return start(script, { person, rules, ...options });
  return startEngine(script, { person, configFolder: await folderWith({ 'config.toml': rules }), ...options });
}

/** The lead makes these calls one after the other, then answers. */
function calls(...all: [name: string, input: Record<string, unknown>][]): Script {
  const script = new Script();
  all.forEach(([name, input], index) => script.on({ step: index + 1 }).reply([toolUse(name, input)]));
  return script.on({}).reply([text('Done.')]);
}

describe('rules', () => {
  test('an allowed call runs without approval, and the decision records the rule', async () => {
    const engine = await engineWith(calls(['write_file', { path: 'docs/a.md', content: 'Written.' }]), ALLOW);
    await engine.ask('Write', 'none');
    expect(await readFile(join(engine.folder, 'docs/a.md'), 'utf8')).toBe('Written.');
    expect(engine.of('approval-decide')[0]?.decision).toMatchObject({
      allowed: true,
      decidedBy: 'rule',
      ruleId: 'user:1',
      optionId: 'allow',
    });
  });

  test('a denied call does not run even under the policy all, and the model receives the reason', async () => {
    const engine = await engineWith(writeFile({ path: 'private/a.md' }), ALLOW + DENY);
    await engine.ask('Write', 'all');
    await expect(readFile(join(engine.folder, 'private/a.md'))).rejects.toThrow('ENOENT');
    expect(engine.of('approval-decide')[0]?.decision).toMatchObject({ allowed: false, ruleId: 'user:2' });
    const told = engine.of('tool-end')[0]?.entry.output;
    expect(told).toMatch(/Your rule denies the tool write_file on private\/\*\* for all agents \(.*config\.toml:6\)/);
  });

  test('an edit cannot bypass a rule', async () => {
    const engine = await engineWith(writeFile({ path: 'free.md' }), DENY, { person: () => null });
    const { workflowId } = await engine.send('Write');
    const asked = await engine.event('approval-request');
    const approvalId = asked.approval.id;
    const decide = (answer: Answer) => engine.runtime.request('approval.decide', { approvalId, answer });
    const edit = { kind: 'edit', value: { path: './private/../private/a.md', content: 'x' } } as const;
    await expect(decide(edit)).rejects.toMatchObject({ code: 'not_allowed' });
    await decide({ kind: 'reject', reason: '' });
    await engine.ended(workflowId);
  });

  test('reading can be denied or require approval, and a search skips denied files', async () => {
    const rules =
      rule('effect = "deny"\npermission = "FilesystemRead"\npattern = "private/**"') +
      rule('effect = "ask"\ntool = "read_file"\npattern = "README.md"');
    const script = calls(
      ['read_file', { path: 'private/a.txt' }],
      ['read_file', { path: 'README.md' }],
      ['grep', { pattern: 'word' }],
    );
    const files = { 'README.md': 'word one', 'private/a.txt': 'word two' };
    const engine = await engineWith(script, rules, { files, person: () => ({ kind: 'allow' }) });
    await engine.ask('Look');
    const [denied, asked, searched] = engine.of('tool-end').map(({ entry }) => entry);
    expect(denied).toMatchObject({ status: 'error' });
    expect(denied?.output).not.toContain('word');
    expect(asked).toMatchObject({ status: 'completed' });
    expect(searched?.output).toBe('README.md:1:word one');
    expect(engine.of('approval-decide').map(({ decision }) => decision.decidedBy)).toEqual(['rule', 'person']);
  });

  test('a denied sub-agent does not start and releases its slot', async () => {
    const settings = 'limits.max_sub_agents = 1\n';
    const script = calls(
      ['delegate_task', { operation: 'delegate', agent_id: 'code-reviewer', prompt: 'Review.' }],
      ['delegate_task', { operation: 'delegate', agent_id: 'test-generator', prompt: 'Test.' }],
    );
    script.rules.unshift(...new Script().on(CHILD).reply([text('Tested.')]).rules);
    const rules = rule('effect = "deny"\ntool = "delegate_task"\npattern = "code-*"');
    const engine = await engineWith(script, rules, { settings });
    const end = await engine.ask('Review', 'all');
    expect(end.subAgents).toMatchObject([{ outcome: 'rejected' }, { agent: 'test-generator', outcome: 'completed' }]);
    expect((await engine.store.workflow(end.workflowId))?.subAgentCount).toBe(1);
  });

  test('unreadable rules allow nothing, and the reason names their location', async () => {
    const engine = await engineWith(
      writeFile({ path: 'docs/a.md' }),
      `${ALLOW}[[permissions.rules]]\neffect = "nay"\n`,
    );
    await engine.ask('Write', 'all');
    const { decision } = engine.of('approval-decide')[0]!;
    expect(decision).toMatchObject({ allowed: false, ruleId: 'fault' });
    expect(decision.reason).toMatch(/config\.toml:7: permissions\.rules\.1\.effect must be deny or ask or allow/);
  });
});

describe('the rules of a project', () => {
  test('a project file allows nothing until its exact text is trusted', async () => {
    const project = '.triad/config.toml';
    const script = calls(
      ['write_file', { path: 'docs/a.md', content: '1' }],
      ['write_file', { path: 'docs/b.md', content: '2' }],
    );
    const engine = await engineWith(script, '', {
      files: { [project]: ALLOW },
      person: ({ request: { id: approvalId } }) => {
        // Trusted before the first call goes on: the second one meets the rule.
        void engine.trust
          .set(engine.folder, new Map([[project, sha256(ALLOW)]]))
          .then(() => engine.runtime.request('approval.decide', { approvalId, answer: { kind: 'allow' } }));
        return null;
      },
    });
    await engine.ask('Write');
    expect(engine.of('approval-decide').map(({ decision }) => decision.ruleId)).toEqual([null, 'project:1']);
    await write(join(engine.folder, project), `${ALLOW}# changed\n`);
    const { trusted, rules } = await engine.runtime.request('permissions.list', { folder: engine.folder });
    expect({ trusted, rules }).toEqual({ trusted: false, rules: [] });
  });
});

test('a timeout can allow a call if the settings say so, recorded as a timeout', async () => {
  const settings = '[limits]\napproval_seconds = 1\n[approvals]\non_timeout = "approve"\n';
  const engine = await engineWith(spawnOne(), '', { settings, person: () => null });
  const end = await engine.ask('Look');
  expect(end.subAgents).toMatchObject([{ outcome: 'completed' }]);
  expect(engine.of('approval-request')[0]?.approval.onTimeout).toBe('approve');
  expect(engine.of('approval-decide')[0]?.decision).toMatchObject({ allowed: true, decidedBy: 'timeout' });
});

test('a timeout never allows a batch of sub-agents, because its risk is high', async () => {
  const settings = '[approvals]\non_timeout = "approve"\n';
  const engine = await engineWith(batch(), '', { settings, person: () => null });
  await engine.send('Review both halves');
  const { approval } = await engine.event('approval-request');
  expect(approval).toMatchObject({ risk: 'high', reversible: true, subject: { operation: 'parallel' } });
  expect(approval).not.toHaveProperty('onTimeout');
});

test('an irreversible action must be confirmed, and never has a timeout answer or a grant', async () => {
  const settings = '[approvals]\non_timeout = "approve"\n[permissions]\nmode = "auto"\n';
  const input = { action: 'Send the letter', reason: 'It is due.', reversible: false };
  const script = new Script();
  script.on({ step: 1 }).reply([toolUse('request_approval', input)]);
  script.on({}).reply([text('Done.')]);
  const engine = await engineWith(script, rule('effect = "allow"\ntool = "*"'), { settings, person: () => null });
  const { workflowId } = await engine.send('Ask');
  const asked = await engine.event('approval-request');
  const { id: approvalId, reversible, onTimeout, grant } = asked.approval;
  expect({ reversible, onTimeout, grant }).toEqual({ reversible: false, onTimeout: undefined, grant: undefined });
  const decide = (answer: Answer) => engine.runtime.request('approval.decide', { approvalId, answer });
  await expect(decide({ kind: 'allow' })).rejects.toMatchObject({
    code: 'conflict',
    message: 'Its agent says that this cannot be undone: confirm it',
  });
  await expect(decide({ kind: 'edit', value: input })).rejects.toMatchObject({ code: 'conflict' });
  await decide({ kind: 'allow', confirmed: true });
  expect((await engine.ended(workflowId)).outcome).toBe('completed');
});

test('a write without a complete diff is allowed by the mode auto because it can be undone, but cannot be granted', async () => {
  const files = { 'big.bin': '\0'.repeat(2000) };
  const script = () => writeFile({ path: 'big.bin' });
  const auto = await engineWith(script(), '', {
    settings: '[permissions]\nmode = "auto"\n',
    files,
    person: () => null,
  });
  await auto.ask('Write');
  const manual = await engineWith(script(), '', { files, person: () => ({ kind: 'allow' }) });
  await manual.ask('Write');
  const [asked] = manual.of('approval-request');
  expect(asked?.approval).toMatchObject({ reversible: true, subject: { preview: { whole: false } } });
  expect(asked?.approval.grant).toBeUndefined();
  for (const engine of [auto, manual])
    expect(await readFile(join(engine.folder, 'big.bin'), 'utf8')).toContain('Written by an agent');
});
