/** What serves a run has nothing that the run lacks, whatever its definition asks for and however the person changes the run. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AgentDefinition, type Coagent, type Envelope, Permission } from '#contract/agent.ts';
import { AgentRegistry } from '#core/agents/registry.ts';
import { Envelopes } from '#core/runs/envelopes/envelopes.ts';
import { delegationRequest } from '#core/tools/sub-agent-tools.ts';
import { definitionOf } from '../../support/envelope.ts';
import { samples } from '../../support/samples.ts';
import { settingsOf } from '../../support/settings/settings-of.ts';
import { granted, modelsIn, registry } from './narrowing-support.ts';

const names = registry.names(false).filter((name) => !registry.get(name)?.missing);
const settings = settingsOf('');
const models = modelsIn(settings);
const envelopes = new Envelopes({ settings, tools: registry, provider: () => 'anthropic', models });
const MODES = ['manual', 'selective', 'auto'] as const;

/** What names too much is refused, so most name little. */
const wishes = fc.record({
  tools: fc.option(fc.subarray(names, { maxLength: 3 }), { nil: null, freq: 1 }),
  permissions: fc.option(fc.subarray([...Permission.options]), { nil: null, freq: 1 }),
});
const flows = fc.constantFrom('loop', 'judge', 'smart', 'chat');
const parents = fc.record({ tools: fc.oneof(fc.subarray(names), fc.constant(names)), mode: fc.constantFrom(...MODES) });

const free = registry.all().filter(({ onlyNamed, baseline }) => onlyNamed ?? baseline);
function expectWithin(part: Coagent, run: Coagent): void {
  const tools = new Set([...run.tools, ...free.map(({ name }) => name)]);
  expect(part.tools.filter((name) => !tools.has(name))).toEqual([]);
  const permissions = new Set<Permission>([...run.permissions, ...registry.permissionsOf(registry.baseline())]);
  expect(part.permissions.filter((name) => !permissions.has(name))).toEqual([]);
  expect(part.permissions).toEqual(registry.permissionsOf(part.tools));
  expect(MODES.indexOf(part.approvalMode)).toBeLessThanOrEqual(MODES.indexOf(run.approvalMode));
}

/** Of a run: its coagent, its stages and theirs. */
function expectServedWithin(run: Envelope): void {
  for (const part of [run.flow?.coagent, ...run.stages, ...run.stages.map(({ flow }) => flow?.coagent)])
    if (part) expectWithin(part, run);
}

test('coagents and stages never have more than the run, for any definition and edit', () => {
  const seen = { served: 0, edited: 0 };
  fc.assert(
    fc.property(
      ...[parents, flows, wishes, wishes, wishes, fc.subarray(names), fc.constantFrom(...MODES)],
      (parent, type, own, coagent, stage, kept, approvalMode) => {
        const flow = {
          type,
          rounds: 2,
          primary: 'first',
          coagent: 'second',
          handoff: { type: 'static', text: 'x' },
        } as const;
        const agents = new AgentRegistry();
        const define = (name: string, parts: Partial<AgentDefinition>) =>
          agents.register(definitionOf({ name, ...parts }));
        define('first', { ...own, flow, next: ['third'] });
        define('second', coagent);
        define('third', { ...stage, flow: { ...flow, primary: 'third' } });
        const lead = definitionOf({ name: 'lead', role: 'primary', tools: [...parent.tools, 'delegate_task'] });
        const above = { ...envelopes.lead(lead, 'Lead.', '/work'), approvalMode: parent.mode };
        const run = granted(() => envelopes.child(delegationRequest('first', 'Do.', 'r'), above, agents));
        if (!run) return;
        seen.served += 1;
        expectWithin(run, above);
        expectServedWithin(run);
        const tools = run.tools.filter((name) => kept.includes(name) || registry.baseline().includes(name));
        const edited = granted(() => envelopes.edited({ ...run, tools, approvalMode }, run, above));
        if (!edited) return;
        seen.edited += 1;
        expectServedWithin(edited.value);
      },
    ),
    samples(25),
  );
  expect(Math.min(...Object.values(seen)), 'most are not refused').toBeGreaterThan(3);
});
