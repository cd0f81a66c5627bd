/** `triad agents new`: writes the template of an agent, or a composition to begin with, and never over anything. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { AgentName } from '#contract/agent.ts';
import { compositionTemplate } from '#core/agents/compositions/composition-template.ts';
import { alreadyExists, newPath } from '#core/agents/draft.ts';
import { ownPlace, projectPlaces, userPlaces } from '#core/agents/places.ts';
import { copyBuiltin } from '#core/agents/paths/copy-builtin.ts';
import { agentTemplate } from '#core/agents/template.ts';
import { codeOf } from '#core/base/errors.ts';
import { folders } from '#core/settings/folders.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';

export interface NewOptions {
  user?: boolean;
  dir?: string;
  composition?: boolean;
  /** The built-in agent, or composition, that it begins as. */
  from?: string;
}

export async function newAgent(io: Io, name: string, options: NewOptions): Promise<void> {
  const checked = AgentName.safeParse(name);
  if (!checked.success) throw new UsageError(`"${name}" cannot name an agent: it ${checked.error.issues[0]?.message}`);
  const workspace = resolve(io.folder, options.dir ?? '.');
  if (!(await stat(workspace).catch(() => null))?.isDirectory())
    throw new UsageError(`There is no folder ${workspace}`);
  const places = options.user
    ? userPlaces((await folders(io.env)).config, io.env['HOME'] || homedir())
    : projectPlaces(workspace);
  const isComposition = options.composition === true;
  const place = ownPlace(places, options.user ? 'user' : 'project', isComposition)!;
  const text = await textOf(checked.data, isComposition, options.from);
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

function textOf(name: string, isComposition: boolean, from: string | undefined): Promise<string> | string {
  if (isComposition) return compositionTemplate(name, from);
  return from === undefined ? agentTemplate(name) : copyBuiltin(name, from);
}
