/** One desktop for each data folder: a second start hands what it was given to the first, and ends. */
import { app } from 'electron';

/** False: another one is there and was told; this one has to go. `onSecond` gets the arguments of the second start. */
export function isFirstInstance(onSecond: (args: readonly string[]) => void): boolean {
  if (!app.requestSingleInstanceLock()) return false;
  app.on('second-instance', (_event, args) => onSecond(args));
  return true;
}
