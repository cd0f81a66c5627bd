/** One desktop for each data folder: a second start shows the windows of the first, and ends. */
import { app } from 'electron';

/** False: another one is there and was told; this one has to go. */
export function isFirstInstance(onSecond: () => void): boolean {
  if (!app.requestSingleInstanceLock()) return false;
  app.on('second-instance', onSecond);
  return true;
}
