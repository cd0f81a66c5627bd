/** Agents that follow each other, without files: as their links are resolved, ready for the engine. */
import type { AgentDefinition } from '#contract/agent.ts';
import type { RunRow } from '#contract/view.ts';
import { withAgents } from '../compose.ts';
import { definitionOf } from '../envelope.ts';
import { type Harness, type HarnessOptions, type Start, startEngine, talkIn } from '../engine.ts';
import { delegateTo, LEAD } from '../fake-model/scenarios.ts';
import { type Blocks, type ReplyOptions, Script, text } from '../fake-model/script.ts';

/** What the second agent of `CHAIN` takes. */
export const FACTS = {
  type: 'object',
  properties: { facts: { type: 'array', items: { type: 'string' } }, reason: { type: 'string' } },
  required: ['facts', 'reason'],
  additionalProperties: false,
};

/** `research` gives JSON to `draft`, and that a text to `polish`. */
export const CHAIN: readonly AgentDefinition[] = [
  definitionOf({ name: 'research', systemPrompt: 'You research.', next: ['draft'] }),
  definitionOf({
    name: 'draft',
    systemPrompt: 'You draft.',
    input: { format: 'json', schema: FACTS },
    next: ['polish'],
  }),
  definitionOf({ name: 'polish', systemPrompt: 'You polish.' }),
];

export async function startChain(
  script: Script,
  options: HarnessOptions = {},
  definitions: readonly AgentDefinition[] = CHAIN,
  start: Start = startEngine,
): Promise<Harness> {
  const engine = await start(script, options);
  withAgents(engine.agents, definitions, engine.folder);
  return engine;
}

/** What an agent answers, by its name. */
export type Answers = Record<string, { blocks: Blocks; options?: ReplyOptions }>;

export const GOOD: Answers = {
  research: { blocks: [text('{"facts":["It rains."]}')] },
  draft: { blocks: [text('It rains, they say.')] },
  polish: { blocks: [text('Rain is coming.')] },
};

/** The lead delegates to `research` and then says that it is done; each agent answers once as said here, and then as in `GOOD`. */
export function chainScript(answers: Answers = {}, call: Blocks = [delegateTo('research', 'Find facts.')]): Script {
  const script = new Script().on({ ...LEAD, turn: 1 }).reply(call);
  script.on(LEAD).reply([text('Done.')]);
  for (const [agent, { blocks, options }] of Object.entries(answers))
    script.on({ system: new RegExp(`You ${agent}\\.`) }).reply(blocks, { times: 1, ...options });
  for (const [agent, { blocks }] of Object.entries(GOOD))
    script.on({ system: new RegExp(`You ${agent}\\.`) }).reply(blocks);
  return script;
}

/** What the lead was told by its first call. */
export function resultOf(engine: Pick<Harness, 'of'>): Record<string, unknown> {
  const end = engine.of('tool-end').find(({ parentRunId }) => parentRunId === null);
  return JSON.parse(end?.entry.output ?? '{}') as Record<string, unknown>;
}

/** The runs of a workflow below its lead, in the order in which they were queued. */
export async function stagesOf({ store }: Pick<Harness, 'store'>, workflowId: string): Promise<RunRow[]> {
  return (await store.runsOf([workflowId])).filter(({ parentRunId }) => parentRunId !== null);
}

/** A conversation that an agent of these leads itself. */
export async function startLed(
  script: Script,
  agent = 'research',
  options: HarnessOptions = {},
  { definitions = CHAIN, start = startEngine }: { definitions?: readonly AgentDefinition[]; start?: Start } = {},
): Promise<Harness> {
  const engine = await startChain(script, options, definitions, start);
  const { id: conversationId } = await engine.runtime.request('conversation.create', { agent, folder: engine.folder });
  return { ...engine, conversationId, ...(await talkIn(engine.runtime, conversationId)) };
}
