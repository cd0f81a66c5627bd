/** The tool that lists a folder of the workspace. */
import { opendir } from 'node:fs/promises';
import { posix } from 'node:path';
import type { z } from 'zod';
import { matches } from '../base/pattern.ts';
import { FolderInput, READ_ONLY } from './traits.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool, type Tool } from './tool.ts';
import { pathTargets, withFolder } from '../workspace/places.ts';

const MAX_SHOWN = 1000;
/** A folder with more entries is not read to its end. */
const MAX_READ = 50_000;

/** The same for an empty folder and for one whose entries rules hide. */
const NOTHING = '[There is nothing to show.]';

/** How rules that deny match a path. */
const LOOSELY = { path: true, loose: true };

export function listDirectoryTool(): Tool {
  return defineTool<z.infer<typeof FolderInput>>({
    ...READ_ONLY,
    name: 'list_directory',
    describe: () =>
      'Lists the names in a folder of the workspace, sorted: folders end with "/", symbolic links with "@". ' +
      `Returns at most ${MAX_SHOWN} names. Not recursive: use glob for that.`,
    input: FolderInput,
    targets: (input, workspace) => pathTargets(workspace, input.path ?? '.'),
    execute: (input, context) =>
      toToolResult(context, async () => {
        const asked = input.path ?? '.';
        // Rules may name the path that was asked for, or the one that it leads to.
        const targets = await pathTargets(context.workspace, asked);
        const { values, canonical } = targets;
        const hidden = await context.search.hidden('list_directory', targets);
        const isHidden = (name: string): boolean =>
          values.some((path) => hidden.some((pattern) => matches(pattern, posix.join(path, name), LOOSELY)));
        const { names, more } = await withFolder(context.workspace, canonical, asked, (through) =>
          readNames(through, isHidden, context.signal),
        );
        const shown = names.slice(0, MAX_SHOWN);
        const left = names.length - shown.length;
        const note =
          left > 0 || more
            ? `\n[${shown.length} of ${more ? 'more than ' : ''}${names.length} entries; narrow it with glob.]`
            : '';
        return {
          status: 'completed',
          output: names.length === 0 ? NOTHING : shown.join('\n') + note,
          metadata: {
            path: values[0],
            entries: names.length,
            truncated: left > 0 || more,
          },
        };
      }),
  });
}

async function readNames(
  folder: string,
  isHidden: (name: string) => boolean,
  signal: AbortSignal,
): Promise<{ names: string[]; more: boolean }> {
  const directory = await opendir(folder, { bufferSize: 512 });
  const names: string[] = [];
  let more = false;
  // Leaving the loop closes the folder.
  for await (const entry of directory) {
    signal.throwIfAborted();
    if (names.length >= MAX_READ) {
      more = true;
      break;
    }
    if (isHidden(entry.name)) continue;
    names.push(entry.isDirectory() ? `${entry.name}/` : entry.isSymbolicLink() ? `${entry.name}@` : entry.name);
  }
  return { names: names.sort(), more };
}
