/** The tools for the files of a workspace. */
import { deleteFileTool } from './delete-file.ts';
import { editFileTool } from './edit-file.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { listNotesTool } from './notes/list-notes.ts';
import { listDirectoryTool } from './list-directory.ts';
import { moveFileTool } from './move-file.ts';
import { readFileTool } from './reading/read-file.ts';
import { readNoteTool } from './notes/read-note.ts';
import { semanticSearchTool } from './notes/semantic-search.ts';
import type { Tool } from './tool.ts';
import { writeFileTool } from './write-file.ts';

export function fileTools(): Tool[] {
  return [
    ...[readFileTool(), listDirectoryTool(), globTool(), grepTool(), writeFileTool(), editFileTool()],
    ...[moveFileTool(), deleteFileTool()],
    ...[listNotesTool(), readNoteTool(), semanticSearchTool()],
  ];
}
