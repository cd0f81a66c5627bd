/** `triad agents`: the commands about agent definitions. */
import type { Command } from 'commander';
import type { Exit, Io } from '../terminal/io.ts';
import { addAgentsCleanup } from './agents/cleanup.ts';
import { addAgentsExport } from './agents/export.ts';
import { addAgentsList } from './agents/list.ts';
import { addAgentsNew } from './agents/new.ts';
import { addAgentsShow } from './agents/show.ts';
import { addAgentsValidate } from './agents/validate.ts';
import { addGroup } from './group.ts';

export function addAgents(program: Command, io: Io, exit: Exit): void {
  const agents = addGroup(program, 'agents', 'list, check, create and export agents');
  addAgentsList(agents, io);
  addAgentsShow(agents, io);
  addAgentsExport(agents, io);
  addAgentsValidate(agents, io, exit);
  addAgentsNew(agents, io);
  addAgentsCleanup(agents, io);
}
