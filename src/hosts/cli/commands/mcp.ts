/** `triad mcp`: the commands about MCP servers. */
import type { Command } from 'commander';
import type { Exit, Io } from '../terminal/io.ts';
import { addGroup } from './group.ts';
import { addMcpAccept } from './mcp/accept.ts';
import { addMcpAdd } from './mcp/add.ts';
import { addMcpDisable } from './mcp/disable.ts';
import { addMcpEnable } from './mcp/enable.ts';
import { addMcpList } from './mcp/list.ts';
import { addMcpLogin } from './mcp/login.ts';
import { addMcpLogout } from './mcp/logout.ts';
import { addMcpPrompt } from './mcp/prompt.ts';
import { addMcpRemove } from './mcp/remove.ts';
import { addMcpShow } from './mcp/show.ts';
import { addMcpTest } from './mcp/test.ts';

export function addMcp(program: Command, io: Io, exit: Exit): void {
  const mcp = addGroup(program, 'mcp', 'add, test and manage MCP servers');
  addMcpList(mcp, io);
  addMcpShow(mcp, io);
  addMcpTest(mcp, io, exit);
  addMcpAccept(mcp, io);
  addMcpAdd(mcp, io, exit);
  addMcpRemove(mcp, io);
  addMcpEnable(mcp, io);
  addMcpDisable(mcp, io);
  addMcpLogin(mcp, io);
  addMcpLogout(mcp, io);
  addMcpPrompt(mcp, io);
}
