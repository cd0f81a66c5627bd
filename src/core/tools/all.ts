/** Every tool of the program. */
import { delegateTask } from './delegate-task.ts';
import { fileTools } from './file-tools.ts';
import { parallelTasks } from './parallel-tasks.ts';
import { spawnAgent } from './spawn-agent.ts';
import type { Tool } from './tool.ts';

export function allTools(): Tool[] {
  return [...fileTools(), spawnAgent, delegateTask, parallelTasks];
}
