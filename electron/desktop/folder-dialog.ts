/** The system's own dialog for a folder: the person picks one there, and nothing else is named by it. */
import { lstat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { BrowserWindow, dialog } from 'electron';
import { type Client, methods } from '#contract/rpc.ts';
import { answering } from './answering.ts';
import { text } from '../text.ts';

/** Null where none was picked. `from`: where it opens, if that is a folder. */
export async function pickFolder(from?: string): Promise<string | null> {
  const options: Electron.OpenDialogOptions = {
    title: text().pickFolder,
    properties: ['openDirectory', 'createDirectory'],
    ...(from !== undefined && (await isFolder(from)) ? { defaultPath: from } : {}),
  };
  const window = BrowserWindow.getFocusedWindow();
  const asked = window === null ? dialog.showOpenDialog(options) : dialog.showOpenDialog(window, options);
  const { canceled, filePaths } = await asked;
  return canceled ? null : (filePaths[0] ?? null);
}

/** The same runtime for the pages of this desktop, which has such a dialog: one at a time. */
export function pickingFolders(client: Client): Client {
  let isOpen = false;
  return answering(client, 'folder.pick', async (input) => {
    const { from } = methods['folder.pick'].input.parse(input);
    if (isOpen) return { folder: null };
    isOpen = true;
    try {
      return { folder: await pickFolder(from) };
    } finally {
      isOpen = false;
    }
  });
}

/** Not a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  if (!isAbsolute(path) || path.includes('\0')) return false;
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
