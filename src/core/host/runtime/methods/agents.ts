/** The methods of agents and of trust in workspace files. */
import type { AgentDefinition, McpOffer, Permission } from '#contract/agent.ts';
import type { Output, Parsed } from '#contract/rpc.ts';
import { definitionsOf, type LoadedFile, nameOf, reportOf } from '#core/agents/load.ts';
import type { Ceilings } from '#core/agents/ceilings.ts';
import { canonicalFolder } from '#core/base/disk-lookups.ts';
import type { Engine } from '#core/runs/engine.ts';
import { TriadError } from '#core/base/errors.ts';
import { nearest } from '#core/base/nearest.ts';
import { withMcpTools } from '#core/agents/mcp-names.ts';
import { lookAtTrust } from '#core/agents/trust-look.ts';
import { BASELINE, isWithinPermissions } from '#core/agents/vocabulary.ts';
import { loweredLimits } from '#core/settings/project-config.ts';
import type { ToolRegistry } from '#core/tools/registry.ts';
import { previewLead } from '#core/workflows/lead-preview.ts';
import type { Handlers } from './handlers.ts';

type Mine = `agents.${'list' | 'get' | 'check' | 'preview'}` | `trust.${'look' | 'set' | 'revoke' | 'list'}`;

/** `home`: the default folder. */
export function agentMethods(engine: Engine, home: string): Pick<Handlers, Mine> {
  const { agents, trust, tools, watch, mcp } = engine;
  const at = (folder: string | undefined) => canonicalFolder(folder ?? home);
  const filesIn = async (folder: string) => agents.files(folder, await ceilingsIn(engine, folder));
  const look = async (folder: string, texts = false) =>
    lookAtTrust(folder, await trust.hashes(folder), {
      tools: tools.all(),
      findStartPlace: (launch) => mcp.pool.findStartPlace(launch, folder),
      texts: texts ? trust.texts : undefined,
    });
  return {
    'agents.list': async ({ folder }) => {
      const place = await at(folder);
      const [registry, offers] = await Promise.all([agents.of(place), mcp.heardOffers(place)]);
      return registry.list({ enabled: true }).map((agent) => {
        const chain = registry.chainOf(agent);
        return { ...agent, needs: needsOf(agent, tools, offers), ...(chain.length > 0 ? { chain } : {}) };
      });
    },
    'agents.get': async ({ folder, name }) => {
      const files = await filesIn(await at(folder));
      const definition = (await agents.of(await at(folder))).get(name);
      if (!definition) throw notFound(name, files);
      const file = files.find(({ path }) => path === definition.sourcePath);
      const offers = await mcp.heardOffers(await at(folder));
      return { definition, needs: needsOf(definition, tools, offers), warnings: file?.warnings ?? [] };
    },
    'agents.check': async ({ folder }) => (await filesIn(await at(folder))).map(reportOf),
    'agents.preview': async ({ folder, agent, prompt }) => {
      const place = await at(folder);
      const { limits } = await ceilingsIn(engine, place);
      return previewLead(engine, { folder: place, agent, limits, prompt });
    },
    'trust.look': async ({ folder, texts }) => look(await at(folder), texts),
    'trust.set': async ({ folder, files }) => {
      const place = await at(folder);
      const now = await look(place, true);
      const trusted = agreed(now, files);
      await trust.set(place, trusted, textsOf(now, trusted));
      watch.changed();
      return look(place);
    },
    'trust.revoke': async ({ folder }) => {
      const revoked = await trust.revoke(folder);
      watch.changed();
      return { revoked };
    },
    'trust.list': () => trust.list(),
  };
}

/** The ceilings of a folder: the person's, or what its trusted project lowers them to. */
export async function ceilingsIn({ permissions, settings }: Engine, folder: string): Promise<Ceilings> {
  const { project } = await permissions.rules(folder);
  return { models: settings.models, limits: loweredLimits(settings.limits, project) };
}

/** With its own tools; where they are its lead's, its permissions are the bound. Null where nothing bounds it but its lead. */
function needsOf(
  { role, tools: named, mcpServers, permissions }: AgentDefinition,
  tools: ToolRegistry,
  offers: readonly McpOffer[],
): Permission[] | null {
  const isLead = role === 'primary';
  if (named === null && !isLead) return permissions && [...new Set([...BASELINE, ...permissions])].sort();
  const own = tools
    .offered(named ?? tools.names(true), isLead)
    .filter((tool) => isWithinPermissions(tool, permissions));
  const served = offers.flatMap((offer) => {
    const all = offer.tools.map(({ name }) => name);
    const isWhole = mcpServers?.includes(offer.server) ?? named === null;
    const names = isWhole ? all : withMcpTools(named ?? [], all);
    return offer.tools.filter(({ name }) => names.includes(name));
  });
  const reached = served.filter((tool) => isWithinPermissions(tool, permissions)).flatMap((tool) => tool.permissions);
  return [...new Set([...tools.permissionsOf(own.map(({ name }) => name)), ...reached])].sort();
}

/** Hashes of the reviewed files by path. Throws `conflict` if one has changed since. */
function agreed(now: Output<'trust.look'>, files: Parsed<'trust.set'>['files']): ReadonlyMap<string, string> {
  for (const { path, hash } of files) {
    if (now.files.some((file) => file.path === path && file.hash === hash)) continue;
    throw new TriadError('conflict', `${path} is not what was looked at any more: look again`);
  }
  return new Map(files.map(({ path, hash }) => [path, hash]));
}

function textsOf({ files }: Output<'trust.look'>, trusted: ReadonlyMap<string, string>): string[] {
  return files.flatMap(({ path, text }) => (text !== undefined && trusted.has(path) ? [text] : []));
}

/** The `not_found` error; explains why a file that defines the agent is not in effect. */
function notFound(name: string, files: readonly LoadedFile[]): TriadError {
  const mine = files.findLast((file) => nameOf(file) === name);
  if (mine) {
    const why = mine.ok ? 'nobody has trusted it: see "triad trust"' : 'it has faults: see "triad agents validate"';
    return new TriadError('not_found', `There is no agent "${name}" yet: ${mine.path} defines it, and ${why}`);
  }
  const near = nearest(
    name,
    definitionsOf(files).map((one) => one.name),
  );
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  return new TriadError('not_found', `There is no agent "${name}"${hint}: see "triad agents list"`);
}
