/** Items of the menu that are about the installed program: its command line, its updates. */
import { homedir } from 'node:os';
import { app, dialog, type MenuItemConstructorOptions } from 'electron';
import { updateItem } from './app-updates.ts';
import { commandItem } from './command-line.ts';
import type { Updates } from './updates.ts';

/** None in a checkout. `env`: as the person's programs have it; `changed`: what an item says is not true any more. */
export async function ownItems(
  updates: Updates | null,
  env: NodeJS.ProcessEnv,
  changed: () => void,
): Promise<MenuItemConstructorOptions[]> {
  if (!app.isPackaged) return [];
  const say = (message: string) => void dialog.showMessageBox({ type: 'info', message }).then(changed);
  const place = { resources: process.resourcesPath, home: homedir(), platform: process.platform, env };
  const command = await commandItem(place, say);
  return [...(command ? [command] : []), ...(updates ? [updateItem(updates, say)] : [])];
}
