/** Every tool of the program. */
import { ShellHost } from '../workspace/shell/run-shell.ts';
import { askQuestion } from './ask-question.ts';
import { bashJobs } from './bash-jobs.ts';
import { bashTools } from './bash.ts';
import { delegateTask } from './delegate-task.ts';
import { fileTools } from './file-tools.ts';
import { memoryTool } from './memory.ts';
import { parallelTasks } from './parallel-tasks.ts';
import { readOutput } from './read-output.ts';
import { readReport } from './read-report.ts';
import { requestApproval } from './request-approval.ts';
import { spawnAgent } from './spawn-agent.ts';
import { taskComplete } from './task-complete.ts';
import { think } from './think.ts';
import { todoRead, todoWrite } from './todo.ts';
import type { Tool } from './tool.ts';
import { webFetchTool } from './web/web-fetch.ts';
import { webSearch } from './web/web-search.ts';

/** `shell`: where commands are run; left out where nothing is. On Windows there is none yet. */
export function allTools(shell: ShellHost = new ShellHost({}, null)): Tool[] {
  return [
    ...fileTools(),
    ...[spawnAgent, delegateTask, parallelTasks, readReport],
    ...[requestApproval, askQuestion],
    ...(process.platform === 'win32' ? [] : [...bashTools(shell), bashJobs]),
    webFetchTool(),
    ...[todoWrite, todoRead, memoryTool, readOutput],
    webSearch,
    ...[think, taskComplete],
  ];
}
