/** Every tool of the program. */
import { askQuestion } from './ask-question.ts';
import { delegateTask } from './delegate-task.ts';
import { fileTools } from './file-tools.ts';
import { memoryTool } from './memory.ts';
import { parallelTasks } from './parallel-tasks.ts';
import { readReport } from './read-report.ts';
import { requestApproval } from './request-approval.ts';
import { spawnAgent } from './spawn-agent.ts';
import { taskComplete } from './task-complete.ts';
import { think } from './think.ts';
import { todoRead, todoWrite } from './todo.ts';
import type { Tool } from './tool.ts';

export function allTools(): Tool[] {
  return [
    ...fileTools(),
    ...[spawnAgent, delegateTask, parallelTasks, readReport],
    ...[requestApproval, askQuestion],
    ...[todoWrite, todoRead, memoryTool],
    ...[think, taskComplete],
  ];
}
