/** What it takes to create a sub-agent, apart from asking about it and storing it: its settings, their hash, its registration. */
import { AgentFolders } from '#core/agents/agent-folders.ts';
import { builtinPlaces } from '#core/agents/places.ts';
import { Trust } from '#core/agents/trust.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { ModelLists } from '#core/model/model-lists.ts';
import { ModelRules } from '#core/model/model-rules.ts';
import { Envelopes } from '#core/runs/envelopes/envelopes.ts';
import { allTools } from '#core/tools/all-tools.ts';
import type { ChildRequest } from '#core/tools/children.ts';
import { delegationRequest } from '#core/tools/sub-agent-tools.ts';
import { ToolRegistry } from '#core/tools/registry.ts';
import { temporary } from '#core/workflows/sub-agents/proposal.ts';
import { settingsOf } from '../../support/settings/settings-of.ts';
import { clock } from '../clock.ts';
import { type Figure, figure } from '../figure.ts';
import type { Session } from '../session.ts';
import { percentile } from '../statistics.ts';

/** As long as the prompt of a real task. */
const PROMPT = 'Task: say what the parser does with the last line of its input. '.repeat(60);

export async function creationFigures(session: Session): Promise<Figure[]> {
  const { creations } = session.sizes;
  const folder = await session.folder('creation');
  const warn = (line: string): never => {
    throw new Error(line);
  };
  const [tools, trust] = [allTools(), new Trust(folder)];
  const agents = await new AgentFolders({ tools, places: [...builtinPlaces()], trust, warn }).of(folder);
  const settings = settingsOf('');
  const models = new ModelRules({ settings, lists: new ModelLists(), environment: { baseUrl: undefined } });
  const parts = { settings, tools: new ToolRegistry(tools), provider: () => 'anthropic', models };
  const envelopes = new Envelopes(parts);
  const definition = agents.lookup('lead');
  if (!definition) throw new Error('there is no lead');
  const lead = envelopes.lead(definition, 'Look at all parts', folder);
  const delegated = delegationRequest('code-reviewer', PROMPT, undefined);
  const spawned: ChildRequest = { ...delegated, agent: null, name: 'reader', systemPrompt: 'You read.' };
  const times: number[] = [];
  for (let n = 0; n < creations; n += 1) {
    const start = clock();
    const envelope = envelopes.child(n % 2 === 0 ? spawned : delegated, lead, agents);
    canonicalHash(envelope);
    if (n % 2 === 0) agents.register(temporary(envelope), `run-${n}`);
    times.push(clock() - start);
    agents.unregister(`run-${n}`);
  }
  // The first ones compile the code.
  const settled = times.slice(Math.floor(creations / 10));
  const note = `settings, hash and registration, without the question and the store; ${settled.length} in turns spawned and delegated`;
  return [
    figure({
      id: 'creation-p50',
      title: 'creating a sub-agent, p50',
      unit: 'ms',
      bar: { atMost: 1 },
      ours: percentile(settled, 0.5),
      note,
    }),
    figure({
      id: 'creation-p99',
      title: 'creating a sub-agent, p99',
      unit: 'ms',
      ours: percentile(settled, 0.99),
      note,
    }),
  ];
}
