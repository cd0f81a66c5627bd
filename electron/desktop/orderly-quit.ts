/** Quitting loses nothing: what runs is marked and written before the process goes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { app } from 'electron';

/** Everything durable is on disk anyway: a store that hangs must not keep the app open for ever. */
const LONGEST_MS = 10_000;

interface Parts {
  /** While all is there; it takes the time that it takes. */
  first: () => Promise<void>;
  /** Whether it ends the app itself, after all else. */
  leave: () => boolean;
}

/** `end` is called once, whoever asks to quit: the person, a signal, the last window. */
export function quitOrderly(end: () => Promise<void>, { first, leave }: Parts): void {
  let stage: 'none' | 'ending' | 'ended' = 'none';
  const finish = async (): Promise<number> => {
    await first().catch(() => undefined);
    const ended = end().then(
      () => 0,
      () => 1,
    );
    return Promise.race([ended, sleep(LONGEST_MS, 1)]);
  };
  app.on('before-quit', (event) => {
    // Whoever ends the app itself goes on.
    if (stage === 'ended') return;
    event.preventDefault();
    if (stage === 'ending') return;
    stage = 'ending';
    void finish().then((code) => {
      stage = 'ended';
      if (code !== 0 || !leave()) app.exit(code);
    });
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
}
