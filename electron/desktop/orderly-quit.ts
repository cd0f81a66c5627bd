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
  let stage: 'open' | 'asking' | 'preparing' | 'ending' | 'ended' = 'open';
  let whenDone = false;
  const cutsOff = () => (isOwner() ? work.running : 0);
  const atOnce = () => {
    if (stage === 'ending' || stage === 'ended') return;
    stage = 'ending';
    void ended(ports).then((code) => {
      stage = 'ended';
      if (code !== 0 || !ports.leave()) app.exit(code);
    });
  };
  /** `known`: how many workflows the person knows to be cut off; what began since is asked about. */
  const now = async (known: number) => {
    stage = 'preparing';
    await ports.first().catch(() => undefined);
    if (stage !== 'preparing') return;
    if (cutsOff() > known) await ask();
    else atOnce();
  };
  const ask = async () => {
    stage = 'asking';
    const running = cutsOff();
    // A system that can show no question is no yes.
    const choice = await chosen(running).catch((): Choice => 'stay');
    if (stage !== 'asking') return;
    stage = 'open';
    whenDone = choice === 'when done';
    if (choice === 'now' || (whenDone && cutsOff() === 0)) await now(choice === 'now' ? running : 0);
    else if (choice === 'stay' && !hasTray()) show();
  };

  app.on('before-quit', (event) => {
    // Whoever ends the app itself goes on.
    if (stage === 'ended') return;
    event.preventDefault();
    if (stage !== 'open') return;
    void (cutsOff() === 0 ? now(0) : ask());
  });
  app.on('window-all-closed', () => {
    const goesOn = cutsOff() > 0 && (whenDone || hasTray());
    if (process.platform !== 'darwin' && !goesOn) app.quit();
  });
  work.onChange((state) => {
    if (whenDone && state !== null && stage === 'open' && cutsOff() === 0) void now(0);
  });
  // Nobody may be there to answer, and the system waits only for a short while.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, atOnce);
  powerMonitor.on('shutdown', (event?: { preventDefault: () => void }) => {
    // Held up until the app has gone.
    event?.preventDefault();
    atOnce();
  });
  app.on('browser-window-created', (_event, window) => window.on('session-end', atOnce));
}

/** Resolves with the exit code, once what runs is marked and written. */
async function ended({ end }: QuitPorts): Promise<number> {
  const done = end().then(
    () => 0,
    () => 1,
  );
  return Promise.race([done, sleep(LONGEST_MS, 1)]);
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
