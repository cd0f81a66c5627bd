/** Quitting loses nothing: what runs is marked and written before the process goes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { app } from 'electron';

/** Everything durable is on disk anyway: a store that hangs must not keep the app open for ever. */
const LONGEST_MS = 10_000;

/** `end` is called once, whoever asks to quit: the person, a signal, the last window. */
export function quitOrderly(end: () => Promise<void>): void {
  let ending = false;
  app.on('before-quit', (event) => {
    event.preventDefault();
    if (ending) return;
    ending = true;
    const ended = end().then(
      () => 0,
      () => 1,
    );
    void Promise.race([ended, sleep(LONGEST_MS, 1)]).then((code) => app.exit(code));
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
}
