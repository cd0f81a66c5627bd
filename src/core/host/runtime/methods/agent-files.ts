/** The methods of the agent editor. */
import type { AgentDefinition, AgentFile } from '#contract/agent.ts';
import { pathInProject } from '#core/agents/agent-folders.ts';
import type { AgentFiles } from '#core/agents/files.ts';
import { type LoadedFile, nameOf, reportOf } from '#core/agents/load.ts';
import type { AgentPlace } from '#core/agents/places.ts';
import { placeHolding } from '#core/agents/read-place.ts';
import type { AgentRegistry } from '#core/agents/registry.ts';
import { canonicalFolder } from '#core/base/disk-lookups.ts';
import type { Engine } from '#core/runs/engine.ts';
import { ceilingsIn } from './agents.ts';
import type { Handlers } from './handlers.ts';

type Mine = 'agents.files' | 'agents.read' | 'agents.lint' | 'agents.edit' | 'agents.save' | 'agents.draft';

/** The one editor of agents' files, loaded on first use: its saves run one at a time. */
export function agentFiles(engine: Engine): () => Promise<AgentFiles> {
  const { agents, trust, tools } = engine;
  const ceilings = (folder: string) => ceilingsIn(engine, folder);
  let made: Promise<AgentFiles> | null = null;
  return () =>
    (made ??= import('#core/agents/files.ts').then(
      ({ AgentFiles }) => new AgentFiles({ agents, trust, tools: tools.all(), ceilings }),
    ));
}

/** `home`: the default folder. */
export function agentFileMethods(engine: Engine, files: () => Promise<AgentFiles>, home: string): Pick<Handlers, Mine> {
  const { agents, watch } = engine;
  const ceilings = (folder: string) => ceilingsIn(engine, folder);
  const at = (folder: string | undefined) => canonicalFolder(folder ?? home);
  return {
    'agents.files': async ({ folder }) => {
      const place = await at(folder);
      const [found, registry] = await Promise.all([agents.files(place, await ceilings(place)), agents.of(place)]);
      const places = agents.places(place);
      return found.map((file) => describe(file, registry, places, place));
    },
    'agents.read': async ({ folder, file }) => (await files()).read(await at(folder), file),
    'agents.lint': async ({ folder, file, text, prompt }) => (await files()).lint(await at(folder), file, text, prompt),
    'agents.edit': async ({ folder, file, text, prompt, changes }) =>
      (await files()).edit(await at(folder), file, text, changes, prompt),
    'agents.save': async ({ folder, file, text, prompt, before }) => {
      const saved = await (await files()).save(await at(folder), file, text, before, prompt);
      watch.changed();
      return saved;
    },
    'agents.draft': async ({ folder, ...draft }) => (await files()).draft(await at(folder), draft),
  };
}

/** `registry`: the definitions in effect in the folder. */
function describe(file: LoadedFile, registry: AgentRegistry, places: readonly AgentPlace[], folder: string): AgentFile {
  const name = nameOf(file);
  const used = name === null ? null : registry.get(name);
  const isUsed = used?.sourcePath === file.path;
  // An untrusted file of the same name does not override it.
  const definition = isUsed ? used : file.ok ? file.definition : null;
  const isTrusted = !registry.untrusted.includes(pathInProject(folder, file.path));
  const state = definition ? stateOf(definition, isTrusted, isUsed) : 'faulty';
  return {
    ...reportOf(file),
    ...(definition ? { ok: true, errors: [] } : {}),
    description: definition?.description ?? null,
    role: definition?.role ?? null,
    model: definition?.model ?? null,
    state,
    overriddenBy: state === 'overridden' ? (used?.sourcePath ?? null) : null,
    dialect: placeHolding(places, file.path)?.dialect ?? 'triad',
  };
}

function stateOf({ enabled }: AgentDefinition, isTrusted: boolean, isUsed: boolean): AgentFile['state'] {
  if (!isTrusted) return 'untrusted';
  if (!isUsed) return 'overridden';
  return enabled ? 'usable' : 'disabled';
}
