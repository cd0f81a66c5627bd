/** Quitting loses nothing: it asks while something works; what runs is marked and written before the process goes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { app, dialog, powerMonitor } from 'electron';
import { text } from '../text.ts';
import type { Work } from './work.ts';

/** Everything durable is on disk anyway: a store that hangs must not keep the app open for ever. */
const LONGEST_MS = 10_000;

export interface QuitPorts {
  /** Called once. */
  end: () => Promise<void>;
  /** While all is there; it takes the time that it takes. Left out where nobody waits for it. */
  first: () => Promise<void>;
  /** Whether it ends the app itself, after all else. */
  leave: () => boolean;
  work: Pick<Work, 'running' | 'onChange'>;
  /** Whether what works would be cut off: it works in this process. */
  isOwner: () => boolean;
  /** Whether the app stays in sight without a window. */
  hasTray: () => boolean;
  /** After the person chose to stay: there has to be a window. */
  show: () => void;
}

/** The buttons, in their order. */
const CHOICES = ['now', 'when done', 'stay'] as const;
type Choice = (typeof CHOICES)[number];

/** Whoever asks to quit: the person, the last window, or, without a question, a signal and the end of the session. */
export function quitOrderly(ports: QuitPorts): void {
  const { work, isOwner, hasTray, show } = ports;
  let stage: 'open' | 'asking' | 'ending' | 'ended' = 'open';
  let whenDone = false;
  const cutsOff = () => (isOwner() ? work.running : 0);
  const finish = (isHasty: boolean) => {
    if (stage === 'ending' || stage === 'ended') return;
    stage = 'ending';
    void finished(ports, isHasty).then((code) => {
      stage = 'ended';
      if (code !== 0 || !ports.leave()) app.exit(code);
    });
  };
  const now = () => finish(false);
  const atOnce = () => finish(true);
  const ask = async () => {
    stage = 'asking';
    // A system that can show no question is no yes.
    const choice = await chosen(cutsOff()).catch((): Choice => 'stay');
    if (stage !== 'asking') return;
    stage = 'open';
    whenDone = choice === 'when done';
    if (choice === 'now' || (whenDone && cutsOff() === 0)) now();
    else if (choice === 'stay' && !hasTray()) show();
  };

  app.on('before-quit', (event) => {
    // Whoever ends the app itself goes on.
    if (stage === 'ended') return;
    event.preventDefault();
    if (stage !== 'open') return;
    if (cutsOff() === 0) now();
    else void ask();
  });
  app.on('window-all-closed', () => {
    const goesOn = cutsOff() > 0 && (whenDone || hasTray());
    if (process.platform !== 'darwin' && !goesOn) app.quit();
  });
  work.onChange((state) => {
    if (whenDone && state !== null && cutsOff() === 0) now();
  });
  // Nobody may be there to answer, and the system waits only for a short while.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, atOnce);
  powerMonitor.on('shutdown', atOnce);
  app.on('browser-window-created', (_event, window) => window.on('session-end', atOnce));
}

/** Resolves with the exit code, once what runs is marked and written. */
async function finished({ first, end }: QuitPorts, isHasty: boolean): Promise<number> {
  if (!isHasty) await first().catch(() => undefined);
  const ended = end().then(
    () => 0,
    () => 1,
  );
  return Promise.race([ended, sleep(LONGEST_MS, 1)]);
}

/** Closing the question is none of its first two answers. */
async function chosen(running: number): Promise<Choice> {
  const words = text().quit;
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: words.question(running),
    detail: words.detail,
    buttons: [words.now, words.whenDone, words.stay],
    defaultId: CHOICES.indexOf('stay'),
    cancelId: CHOICES.indexOf('stay'),
    noLink: true,
  });
  return CHOICES[response] ?? 'stay';
}
