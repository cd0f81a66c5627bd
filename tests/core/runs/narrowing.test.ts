/** A child has nothing that its parent lacks but the baseline, whoever asks for more; its limits are bounded by settings and model. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AgentDefinition, type Envelope, Permission } from '#contract/agent.ts';
import { cutLine } from '#contract/cut-limits-text.ts';
import { AgentRegistry } from '#core/agents/registry.ts';
import { Envelopes } from '#core/runs/envelopes/envelopes.ts';
import { canonicalHash } from '#core/base/hash.ts';
import type { ChildRequest } from '#core/tools/children.ts';
import { definitionOf } from '../../support/envelope.ts';
import { settingsOf } from '../../support/settings/settings-of.ts';
import { samples } from '../../support/samples.ts';
import { granted, modelsIn, registry } from './narrowing-support.ts';

const names = registry.names(true);
const CEILING = 30;
const SETTINGS = `
models.default = "claude-haiku-4-5"
[limits]
max_iterations_ceiling = ${CEILING}
inactivity_seconds = 200
run.max_tokens = 5
`;
/** Of the default model. */
const WRITES = 64_000;
const envelopes = new Envelopes({
  settings: settingsOf(SETTINGS),
  tools: registry,
  provider: () => 'anthropic',
  models: modelsIn(settingsOf(SETTINGS)),
});

const requestOf = (parts: Partial<ChildRequest>): ChildRequest => ({
  agent: null,
  name: 'child',
  title: '',
  prompt: 'Do it.',
  systemPrompt: null,
  tools: null,
  permissions: null,
  mcpServers: null,
  provider: null,
  model: null,
  effort: null,
  seesReports: false,
  maxMinutes: null,
  ...parts,
});
const leadWith = (parts: Partial<AgentDefinition>): Envelope =>
  envelopes.lead(definitionOf({ name: 'lead', role: 'primary', ...parts }), 'Lead.', '/work');

function agentsWith(parts: Partial<AgentDefinition>): AgentRegistry {
  const agents = new AgentRegistry();
  agents.register(definitionOf(parts));
  return agents;
}

const someTools = fc.option(fc.subarray(names), { nil: null });
const somePermissions = fc.option(fc.subarray([...Permission.options]), { nil: null });
const modes = ['manual', 'selective', 'auto'] as const;
const bounds = fc.record(
  { tokens: fc.integer({ min: 1, max: 9 }), costUsd: fc.integer({ min: 1, max: 9 }) },
  { requiredKeys: [] },
);
const limits = fc.record({
  maxIterations: fc.integer({ min: 1, max: 40 }),
  inactivityMs: fc.integer({ min: 1000, max: 600_000 }),
  budget: bounds,
});
const maxTokens = fc.integer({ min: 1, max: 100_000 });
/** Also one that no definition makes: its lists need not fit each other. */
const parents = fc
  .record({
    tools: fc.oneof(fc.subarray(names), fc.constant(names)),
    permissions: fc.oneof(fc.subarray([...Permission.options]), fc.constant<Permission[]>([...Permission.options])),
    limits,
    maxTokens,
    approvalMode: fc.constantFrom(...modes),
    requiresApproval: fc.subarray(['write_file', 'FilesystemRead', 'NetworkAccess']),
  })
  .map((parts): Envelope => ({ ...leadWith({}), ...parts }));
/** What a definition may say beside its tools. */
const wishes = fc.record({
  maxTokens: fc.option(maxTokens, { nil: null }),
  maxIterations: fc.option(fc.integer({ min: 1, max: 200 }), { nil: null }),
  requiresApproval: fc.subarray(['write_file', 'grep']),
});

const baseline = { tools: registry.baseline(), permissions: ['FilesystemRead', 'SemanticSearch'] };

function expectWithin(child: Envelope, parent: Envelope): void {
  const free = registry.all().filter(({ onlyNamed }) => onlyNamed);
  expect(free.flatMap(({ permissions }) => permissions)).toEqual([]);
  const tools = new Set([...parent.tools, ...baseline.tools, ...free.map(({ name }) => name)]);
  const permissions = new Set<string>([...parent.permissions, ...baseline.permissions]);
  expect(child.tools.filter((name) => !tools.has(name))).toEqual([]);
  expect(child.permissions.filter((name) => !permissions.has(name))).toEqual([]);
  expect(child.tools).toEqual(expect.arrayContaining(baseline.tools));
  expect(child.permissions).toEqual(registry.permissionsOf(child.tools));
  expect(child.folder).toBe(parent.folder);
  expect(child.requiresApproval ?? []).toEqual(expect.arrayContaining(parent.requiresApproval ?? []));
  expect(modes.indexOf(child.approvalMode)).toBeLessThanOrEqual(modes.indexOf(parent.approvalMode));
  expect(child.maxTokens).toBeLessThanOrEqual(WRITES);
  expect(child.limits.maxIterations).toBeLessThanOrEqual(CEILING);
  expect(child.limits.inactivityMs).toBeLessThanOrEqual(200_000);
  expect(child.limits.budget?.tokens).toBeLessThanOrEqual(5);
}

describe('for any parent, request and definition', () => {
  test('a started sub-agent has no more permissions than its parent, apart from the baseline', () => {
    const kinds = fc.constantFrom('spawn', 'based', 'delegate');
    fc.assert(
      fc.property(
        ...[parents, kinds, someTools, somePermissions, someTools, somePermissions, wishes],
        (parent, kind, tools, permissions, own, held, wanted) => {
          const agents = agentsWith({ tools: own, permissions: held, ...wanted });
          const request =
            kind === 'delegate'
              ? requestOf({ agent: 'worker', name: null })
              : requestOf({ agent: kind === 'based' ? 'worker' : null, tools, permissions });
          const child = granted(() => envelopes.child(request, parent, agents));
          if (child) expectWithin(child, parent);
        },
      ),
      samples(60),
    );
  });

  test('a sub-agent edited by the person has no more than its parent', () => {
    fc.assert(
      fc.property(
        parents,
        fc.subarray(names),
        fc.subarray([...Permission.options]),
        fc.record({ limits, maxTokens, approvalMode: fc.constantFrom(...modes) }),
        (parent, tools, held, wider) => {
          const asked = granted(() => envelopes.child(requestOf({}), parent, agentsWith({})));
          if (!asked) return;
          const each = Object.entries(wider).map(([key, value]) => ({ [key]: value }));
          const unasked = [{ requiresApproval: [] }, { folder: '/elsewhere' }];
          const edits = [{ tools }, { permissions: held }, { tools, permissions: held }, ...each];
          for (const edit of [...edits, {}, wider, ...unasked]) {
            const edited = granted(() => envelopes.edited({ ...asked, ...edit }, asked, parent));
            if (edited) expectWithin(edited.value, parent);
            // What was asked for is within what may be had; the baseline is had by every real parent.
            else if (baseline.tools.every((name) => parent.tools.includes(name))) expect(edit).not.toEqual({});
          }
        },
      ),
      samples(40),
    );
  });
});

test('the settings and the model bound the limits of a sub-agent, not the lead, and each cut is reported', () => {
  const parent: Envelope = {
    ...leadWith({}),
    maxTokens: 10,
    limits: { maxIterations: 1, inactivityMs: 1000, budget: { tokens: 1, costUsd: 1 } },
  };
  const childOf = (parts: Partial<AgentDefinition>) =>
    envelopes.child(requestOf({ agent: 'worker', name: null }), parent, agentsWith(parts));
  const fitting = childOf({ maxIterations: 25, maxTokens: 50_000 });
  expect(fitting).toMatchObject({
    maxTokens: 50_000,
    limits: { maxIterations: 25, inactivityMs: 200_000, budget: { tokens: 5 } },
  });
  expect(fitting.limits.budget).toEqual({ tokens: 5, costUsd: 2 });
  expect(fitting.cut).toBeUndefined();
  const asked = childOf({ maxIterations: 150, maxTokens: 70_000 });
  expect(asked).toMatchObject({ maxTokens: WRITES, limits: { maxIterations: CEILING } });
  expect(cutLine(asked)).toBe(
    'iterations cut from 150 to 30: limits.max_iterations_ceiling of the settings; tokens per answer cut from 70000 to 64000: claude-haiku-4-5 writes no more',
  );
  // What the person changes is as the person wants it, and within the same bounds.
  const edit = (parts: Partial<Envelope>) => envelopes.edited({ ...asked, ...parts }, asked, parent).value;
  expect(edit({ maxTokens: 60_000 }).cut).toEqual([{ limit: 'maxIterations', wanted: 150, most: 30 }]);
  expect(edit({ model: 'opus', maxTokens: 128_000 })).toMatchObject({ model: 'claude-opus-5-5', maxTokens: 128_000 });
  expect(() => edit({ maxTokens: 64_001 })).toThrow('maxTokens cannot be more than claude-haiku-4-5 writes (64000)');
  const limited = (more: Partial<Envelope['limits']>) => () => edit({ limits: { ...asked.limits, ...more } });
  expect(limited({ maxIterations: 31 })).toThrow(
    'maxIterations cannot be more than limits.max_iterations_ceiling allows (30)',
  );
  expect(limited({ inactivityMs: 200_001 })).toThrow(/limits\.inactivity_seconds allows \(200000\)/);
  expect(limited({ budget: { tokens: 6 } })).toThrow(/limits\.budget\.tokens cannot be more than limits\.run allows/);
  // The settings were lowered while the question was open: what was asked for may stay.
  const open: Envelope = { ...asked, limits: { ...asked.limits, maxIterations: 100 } };
  expect(envelopes.edited({ ...open, prompt: 'Now.' }, open, parent).value.limits.maxIterations).toBe(100);
});

test('a rejection names the excess permissions or tools and those of the lead', () => {
  const parent = leadWith({ tools: ['read_file', 'write_file', 'spawn_agent'] });
  const spawn = (parts: Partial<ChildRequest>) => envelopes.child(requestOf(parts), parent, agentsWith({}));
  expect(() => spawn({ permissions: ['NetworkAccess', 'DatabaseWrite'] })).toThrow(
    'child asks for permissions that it cannot have: NetworkAccess, DatabaseWrite. The lead has: FilesystemRead, FilesystemWrite, SemanticSearch',
  );
  expect(() => spawn({ tools: ['use_NetworkAccess'] })).toThrow(
    'child asks for tools that it cannot have: use_NetworkAccess. The lead can give: ',
  );
  const agents = agentsWith({ permissions: ['DatabaseWrite'] });
  expect(() => envelopes.child(requestOf({ agent: 'worker', name: null }), parent, agents)).toThrow(
    'worker asks for permissions that it cannot have: DatabaseWrite. The lead has: ',
  );
});

test('named permissions exclude tools that need other permissions, but keep the baseline tools', () => {
  const parent = leadWith({});
  const child = envelopes.child(requestOf({ permissions: [] }), parent, agentsWith({}));
  expect(child.permissions).toEqual(['FilesystemRead', 'SemanticSearch']);
  expect(child.tools).toEqual(expect.arrayContaining(['read_file', 'grep', 'glob']));
  expect(child.tools).not.toContain('write_file');
  const both = requestOf({ permissions: [], tools: ['write_file'] });
  expect(() => envelopes.child(both, parent, agentsWith({}))).toThrow(/write_file\. Its permissions can give/);
});

test('rejects an edit that removes a permission but keeps a tool that needs the permission', () => {
  const parent = leadWith({});
  const asked = envelopes.child(requestOf({ tools: ['write_file'] }), parent, agentsWith({}));
  const permissions = ['FilesystemRead'];
  expect(() => envelopes.edited({ ...asked, permissions }, asked, parent)).toThrow(/write_file/);
  const tools = asked.tools.filter((name) => name !== 'write_file');
  const { value } = envelopes.edited({ ...asked, permissions, tools }, asked, parent);
  expect(value.permissions).toEqual(registry.permissionsOf(registry.baseline()));
  expect(value.permissions).not.toContain('FilesystemWrite');
});

test('an edit can disable reviews or change the number of retries', () => {
  const parent = leadWith({});
  const reflection = { criteria: 'Is it short?', maxRetries: 2 };
  const request = requestOf({ agent: 'worker', name: null });
  const asked = envelopes.child(request, parent, agentsWith({ reflection }));
  expect(asked.reflection).toEqual(reflection);
  const { reflection: _, ...off } = asked;
  const switchedOff = envelopes.edited(off, asked, parent);
  expect(switchedOff.value).toEqual(off);
  expect(switchedOff.hash).toBe(canonicalHash(off));
  const once = { ...reflection, maxRetries: 0 };
  expect(envelopes.edited({ ...asked, reflection: once }, asked, parent).value.reflection).toEqual(once);
  const many = { ...asked, reflection: { ...reflection, maxRetries: 6 } };
  expect(() => envelopes.edited(many, asked, parent)).toThrow(/maxRetries/);
});

test('a sub-agent requires approval for everything that its parent requires approval for', () => {
  const parent = leadWith({ requiresApproval: ['write_file'] });
  expect(envelopes.child(requestOf({}), parent, agentsWith({})).requiresApproval).toEqual(['write_file']);
  const agents = agentsWith({ requiresApproval: ['FilesystemRead'], approvalTimeoutMs: 5000 });
  const child = envelopes.child(requestOf({ agent: 'worker', name: null }), parent, agents);
  expect(child).toMatchObject({
    requiresApproval: ['FilesystemRead', 'write_file'],
    approvalTimeoutMs: 5000,
  });
});
