/** Pages whose process died or does not react: what runs goes on in any case; the person chooses what becomes of the window. */
import { writeFile } from 'node:fs/promises';
import { BrowserWindow, dialog, type WebContents } from 'electron';
import { text } from '../text.ts';

/** A page that dies again so soon is not loaded anew without a word. */
const PAUSE_MS = 60_000;

type Trouble = 'gone' | 'stuck';

export interface TroublePorts {
  report: (line: string) => void;
  /** Everything that is kept of the log, without secrets. */
  log: () => Promise<string>;
}

/** To be called before its first page is loaded. */
export function followTroubles(contents: WebContents, ports: TroublePorts): void {
  let tried = -Infinity;
  /** Ends the question that is open. */
  let asking: AbortController | null = null;
  /** The process is ended for the sake of a new one. */
  let renewing = false;

  const ask = async (trouble: Trouble) => {
    if (asking) return;
    const open = (asking = new AbortController());
    try {
      if (!(await isRenewed(contents, trouble, open.signal, ports))) return;
      tried = -Infinity;
      if (trouble === 'gone') contents.reload();
      else {
        renewing = true;
        contents.forcefullyCrashRenderer();
      }
    } catch (error) {
      ports.report(`the window could not be asked about: ${String(error)}`);
    } finally {
      if (asking === open) asking = null;
    }
  };
  const settle = () => {
    asking?.abort();
    asking = null;
  };
  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    settle();
    if (reason === 'clean-exit') return;
    if (!renewing) ports.report(`the page of a window has died: ${reason}, ${exitCode}`);
    const now = performance.now();
    if (!renewing && now - tried < PAUSE_MS) return void ask('gone');
    renewing = false;
    tried = now;
    contents.reload();
  });
  contents.on('unresponsive', () => {
    ports.report('the page of a window does not react');
    void ask('stuck');
  });
  contents.on('responsive', settle);
  contents.once('destroyed', settle);
}

/** Asks until something else than the log is wanted; false also where the question has gone. */
async function isRenewed(
  contents: WebContents,
  trouble: Trouble,
  signal: AbortSignal,
  ports: TroublePorts,
): Promise<boolean> {
  for (;;) {
    const words = text().trouble;
    const window = BrowserWindow.fromWebContents(contents);
    if (window === null || signal.aborted) return false;
    const { response } = await dialog.showMessageBox(window, {
      type: 'warning',
      message: words[trouble],
      detail: words.goesOn,
      buttons: [words.relaunch, words.exportLogs, words.wait],
      // Closing and Escape change nothing.
      defaultId: 2,
      cancelId: 2,
      noLink: true,
      signal,
    });
    if (response !== 1) return response === 0 && !signal.aborted;
    await exportLog(window, ports);
  }
}

/** To the place that the person picks, and nowhere else. */
async function exportLog(window: BrowserWindow, { report, log }: TroublePorts): Promise<void> {
  const { filePath, canceled } = await dialog.showSaveDialog(window, { defaultPath: 'triad.log' });
  if (canceled || filePath === '') return;
  try {
    await writeFile(filePath, await log(), { mode: 0o600 });
  } catch (error) {
    report(`the log could not be written to ${filePath}: ${String(error)}`);
    dialog.showErrorBox(text().trouble.notWritten, String(error));
  }
}
