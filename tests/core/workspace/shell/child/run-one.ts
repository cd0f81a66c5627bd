/** Runs one command in the sandbox, to be killed meanwhile: the folder, the file for output, the command. */
import { readFolderIdSync } from '#core/workspace/roots.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { RunningCommands } from '#core/workspace/shell/command-processes.ts';
import { findSandbox, NO_OPTIONS } from '#core/workspace/shell/sandbox.ts';
import { runShell } from '#core/workspace/shell/shell-process.ts';

const [, , folder = '', file = '', command = ''] = process.argv;
await runShell({
  folder,
  file,
  command,
  workspace: { folder, root: readFolderIdSync(folder)!, own: [], sessions: [], secrets: NO_FILES },
  sandbox: await findSandbox(process.env),
  network: false,
  saidIn: null,
  write: 'all',
  env: process.env,
  options: NO_OPTIONS,
  running: new RunningCommands(),
  fileBytes: 1000,
  resultBytes: 1000,
  timeoutMs: 60_000,
  graceMs: 1000,
  signal: new AbortController().signal,
  onOutput: () => {},
});
