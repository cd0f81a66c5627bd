/**
 * Every key of agents and compositions, set by its dotted path, changes what would run: the envelope from which a run is
 * built, exactly as the person sees and approves it, or who is offered to leads. (What a run makes of its envelope is
 * tested where it does so.)
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { SettingRow } from '#contract/view.ts';
import { keysOf } from '#core/agents/paths/key-rows.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { agentText } from '../../support/linking.ts';
import { folderWith } from '../../support/workspace.ts';

interface Proof {
  value: SettingRow['value'];
  /** Lines that the file has beside it. */
  with?: string;
  /** Where the change is seen: a path in the envelope, or with `offered` in what leads are offered; and what is there then. */
  at: string;
  is: unknown;
}

const SCHEMA = '{"type":"object"}';
const AGENT: Readonly<Record<string, Proof>> = {
  name: { value: 'renamed', at: 'offered.name', is: 'renamed' },
  description: { value: 'Does more', at: 'offered.description', is: 'Does more' },
  role: { value: 'primary', at: 'tools', is: expect.arrayContaining(['spawn_agent']) },
  provider: { value: 'openai', with: 'model: a-model', at: 'provider', is: 'openai' },
  model: { value: 'opus', at: 'model', is: 'claude-opus-5-5' },
  effort: { value: 'low', at: 'effort', is: 'low' },
  max_tokens: { value: 321, at: 'maxTokens', is: 321 },
  temperature: { value: 0.3, at: 'temperature', is: 0.3 },
  max_iterations: { value: 7, at: 'limits.maxIterations', is: 7 },
  doom_loop_threshold: { value: 5, at: 'limits.doomLoopThreshold', is: 5 },
  max_minutes: { value: 9, at: 'limits.budget.minutes', is: 9 },
  approval_timeout: { value: 60, at: 'approvalTimeoutMs', is: 60_000 },
  enable_reflection: { value: true, at: 'reflection.maxRetries', is: 1 },
  max_retries: { value: 4, with: 'enable_reflection: true', at: 'reflection.maxRetries', is: 4 },
  reflection_criteria: { value: 'Short', with: 'enable_reflection: true', at: 'reflection.criteria', is: 'Short' },
  enabled: { value: false, at: 'offered', is: undefined },
  next: { value: 'code-reviewer', at: 'stages.0.agent', is: 'code-reviewer' },
  input_format: { value: 'text', at: 'offered.input.format', is: 'text' },
  input_schema: {
    value: SCHEMA,
    with: "input_format: json\ninput_schema: '{}'",
    at: 'offered.input.schema',
    is: { type: 'object' },
  },
  output_format: { value: 'markdown', at: 'output.format', is: 'markdown' },
  output_schema: { value: SCHEMA, with: 'output_format: json', at: 'output.schema', is: { type: 'object' } },
  expose_as_tool: { value: true, at: 'offered.exposeAsTool', is: true },
  project_instructions: { value: true, at: 'offered.projectInstructions', is: true },
  prompt: { value: 'You are another.', at: 'systemPrompt', is: expect.stringContaining('You are another.') },
};

const FLOW = 'primary = "worker"\ncoagent = "reviewer"\n[control_flow]\n';
const COMPOSITION: Readonly<Record<string, Proof>> = {
  'agent.name': { value: 'RENAMED', at: 'offered.name', is: 'RENAMED' },
  'agent.description': { value: 'Does more', at: 'offered.description', is: 'Does more' },
  'composition.primary': { value: 'planner', at: 'flow.primary', is: 'planner' },
  'composition.coagent': { value: 'code-reviewer', at: 'flow.coagent.agent', is: 'code-reviewer' },
  'control_flow.type': { value: 'chat', at: 'flow.type', is: 'chat' },
  'control_flow.max_iterations': { value: 7, with: 'type = "loop"', at: 'flow.rounds', is: 7 },
  'control_flow.max_rounds': { value: 7, at: 'flow.rounds', is: 7 },
  'control_flow.max_turns': { value: 7, with: 'type = "chat"', at: 'flow.rounds', is: 7 },
  'handoff.type': {
    value: 'generated',
    with: 'type = "judge"\n[handoff]\ntext = "Look"',
    at: 'flow.handoff.type',
    is: 'generated',
  },
  'handoff.text': { value: 'Look at\nit', at: 'flow.handoff.text', is: 'Look at\nit' },
  'handoff.template': { value: '{{answer}}', at: 'flow.handoff.type', is: 'template' },
  'handoff.generator_prompt': { value: 'Write it', at: 'flow.handoff.type', is: 'generated' },
};

/** Keys after which an agent has another name, leads or is not offered; the rest are set in one file. */
const APART = new Set(['name', 'role', 'enabled']);
const TOGETHER = 'of-all';

const fileName = (key: string) => key.replaceAll(/[^a-z]/g, '-');
const compositionText = (name: string, lines = 'type = "judge"') =>
  `# mine\n[agent]\nname = "${name}" # kept\ndescription = "d"\n[composition]\n${FLOW}${lines}\n`;

const started = async (): Promise<Harness> =>
  startEngine(plainAnswer(), {
    configFolder: await folderWith({}),
    // Only a server on this machine is sent a temperature.
    settings: 'providers.anthropic.base_url = "http://127.0.0.1:9"\n',
    environment: { apiKey: 'key', baseUrl: undefined },
  });

/** A trusted file of the project; alone there, because all are read at every look. */
async function write({ folder, trust }: Harness, path: string, text: string): Promise<void> {
  await rm(join(folder, '.triad'), { recursive: true, force: true });
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
  await trust.add(folder, path, text);
}

const offered = async ({ runtime }: Harness, name: string) => ({
  offered: (await runtime.request('agents.list', {})).find((one) => one.name === name),
});
const previewed = async ({ runtime }: Harness, name: string) =>
  (await runtime.request('agents.preview', { agent: name })).envelope;

const seen = async (engine: Harness, name: string, at: string): Promise<unknown> =>
  valueAt(await (at.startsWith('offered') ? offered : previewed)(engine, name), at);

function valueAt(from: unknown, at: string): unknown {
  return at
    .split('.')
    .reduce(
      (value, key) =>
        value === undefined || value === null ? undefined : (Reflect.get(Object(value), key) as unknown),
      from,
    );
}

test.for([
  ['agents', AGENT],
  ['compositions', COMPOSITION],
] as const)('no key of %s is without a proof, and each changes what would run', async ([root, proofs]) => {
  expect(Object.keys(proofs).sort()).toEqual(keysOf(root).single.sort());
  const engine = await started();
  const isAgent = root === 'agents';
  const fileOf = (name: string) => `.triad/${root}/${name}.${isAgent ? 'md' : 'toml'}`;
  const textWith = (name: string, more: string) =>
    isAgent ? agentText(name, `# mine${more === '' ? '' : `\n${more}`}`) : compositionText(name, more || undefined);
  /** By what stands beside a key: what is seen before it is set. */
  const usual = new Map<string, unknown>();
  const before = async (more: string): Promise<unknown> => {
    if (!usual.has(more)) {
      const name = isAgent ? 'usual' : 'USUAL';
      await write(engine, fileOf(name), textWith(name, more));
      usual.set(more, { ...(await previewed(engine, name)), ...(await offered(engine, name)) });
    }
    return usual.get(more);
  };
  const isApart = (key: string, more = '') => !isAgent || more !== '' || APART.has(key);
  const all = Object.entries(proofs);
  const together = all.filter(([key, proof]) => !isApart(key, proof.with));
  for (const [key, { value, with: more = '', at, is }] of [
    ...all.filter((one) => !together.includes(one)),
    ...together,
  ]) {
    const isTogether = !isApart(key, more);
    const name = isTogether ? TOGETHER : `of-${fileName(key)}`;
    const path = `${root}.${name}.${key}`;
    expect(valueAt(await before(more), at), `${path} before`).not.toEqual(is);
    const file = fileOf(name);
    if (!isTogether || key === together[0]?.[0]) await write(engine, file, textWith(name, more));
    const row = await engine.runtime.request('agents.set', { path, value, project: true });
    expect(row).toMatchObject({ value, origin: { from: 'project' } });
    expect(await readFile(join(engine.folder, file), 'utf8')).toContain('# mine');
    if (isTogether) continue;
    const now = key.endsWith('name') ? String(value) : name;
    expect(await seen(engine, now, at), path).toEqual(is);
  }
  if (together.length === 0) return;
  const now = { ...(await previewed(engine, TOGETHER)), ...(await offered(engine, TOGETHER)) };
  for (const [key, { at, is }] of together) expect(valueAt(now, at), key).toEqual(is);
});
