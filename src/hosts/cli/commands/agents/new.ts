/** `triad agents new`: writes the template of an agent or of a composition, and never replaces a file. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { codeOf } from '#core/base/errors.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { dir, NameOption } from '../parameters.ts';

interface Options {
  user?: boolean;
  dir?: string;
  composition?: boolean;
  /** The built-in agent or composition to start from. */
  from?: string;
}

export function addAgentsNew(agents: Command, io: Io): void {
  agents
    .command('new')
    .description('create the file of an agent in .triad/agents, or of a composition; never replaces a file')
    .argument('<name>', 'name of the new agent')
    .option('--composition', 'create an agent with a control flow, in .triad/compositions')
    .addOption(
      new NameOption('agent', '--from <name>', 'built-in agent to start from (default for compositions: BUILD-SMART)'),
    )
    .option('--user', 'create it in your configuration folder, for all workspaces')
    .addOption(dir())
    .action((name: string, options: Options) => createAgent(io, name, options));
}

async function createAgent(io: Io, name: string, options: Options): Promise<void> {
  const { AgentName } = await import('#contract/agent.ts');
  const checked = AgentName.safeParse(name);
  if (!checked.success) throw new UsageError(`"${name}" cannot name an agent: it ${checked.error.issues[0]?.message}`);
  const workspace = resolve(io.folder, options.dir ?? '.');
  if (!(await stat(workspace).catch(() => null))?.isDirectory())
    throw new UsageError(`There is no folder ${workspace}`);
  const isComposition = options.composition === true;
  const place = await placeFor(io, workspace, isComposition, options.user === true);
  const text = await templateFor(checked.data, isComposition, options.from);
  const { alreadyExists, newPath } = await import('#core/agents/draft.ts');
  const { allTools } = await import('#core/tools/all-tools.ts');
  const path = await newPath(place, name, allTools());
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: 'wx' }).catch((error: unknown) => {
    throw codeOf(error) === 'EEXIST' ? alreadyExists(path) : error;
  });
  io.screen.data(`${path}\n`);
  const next = options.user ? 'It can be used from now on' : 'It is used once you have trusted it, with "triad trust"';
  const own = options.from === undefined ? 'Describe in it what the agent does' : 'Change in it what is to be yours';
  const task = isComposition ? 'Name in it the agents that it is made of' : own;
  io.screen.note(`${task}. ${next}; check it with "triad agents validate ${name}".`);
}

async function placeFor({ env }: Io, workspace: string, isComposition: boolean, isUser: boolean) {
  const { ownPlace, projectPlaces, userPlaces } = await import('#core/agents/places.ts');
  const { folders } = await import('#core/settings/folders.ts');
  const places = isUser ? userPlaces((await folders(env)).config, env['HOME'] || homedir()) : projectPlaces(workspace);
  return ownPlace(places, isUser ? 'user' : 'project', isComposition)!;
}

async function templateFor(name: string, isComposition: boolean, from: string | undefined): Promise<string> {
  if (isComposition) {
    const { compositionTemplate } = await import('#core/agents/compositions/composition-template.ts');
    return compositionTemplate(name, from);
  }
  if (from === undefined) return (await import('#core/agents/template.ts')).agentTemplate(name);
  return (await import('#core/agents/paths/copy-builtin.ts')).copyBuiltin(name, from);
}
