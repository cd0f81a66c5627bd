/** Dialogs of the system: told to the test, which presses a button by its label, or names a place for a file. */
import type * as Electron from 'electron';
import type { Wire } from '../wire.ts';

interface Open {
  options: Electron.MessageBoxOptions;
  settle: (response: number) => void;
}

/** Both forms of Electron: with a window in front of which it stands, and without. */
const optionsOf = <T>(args: readonly unknown[]): T => args.at(-1) as T;

export function standInDialog(wire: Wire) {
  const boxes: Open[] = [];
  const saves: ((path: string) => void)[] = [];
  wire.on('press', (label: string) => {
    const box = boxes.at(-1);
    if (box === undefined) throw new Error('No dialog is open');
    const { buttons = [], cancelId = 0 } = box.options;
    const response = label === 'Escape' ? cancelId : buttons.indexOf(label);
    if (response < 0) throw new Error(`The dialog has only ${buttons.join(', ')}`);
    box.settle(response);
  });
  wire.on('save as', (path: string) => {
    if (saves.length === 0) throw new Error('Nothing asks where to save');
    for (const save of saves.splice(0)) save(path);
  });

  const showMessageBox = (...args: [object, ...unknown[]]): Promise<Electron.MessageBoxReturnValue> => {
    const options = optionsOf<Electron.MessageBoxOptions>(args);
    const { message, detail, buttons, defaultId, cancelId = 0, signal } = options;
    const { promise, resolve } = Promise.withResolvers<Electron.MessageBoxReturnValue>();
    const open: Open = {
      options,
      settle: (response) => {
        if (!boxes.includes(open)) return;
        boxes.splice(boxes.indexOf(open), 1);
        wire.tell('message closed', message);
        resolve({ response, checkboxChecked: false });
      },
    };
    boxes.push(open);
    signal?.addEventListener('abort', () => open.settle(cancelId), { once: true });
    wire.tell('message', { message, detail, buttons, defaultId, cancelId });
    return promise;
  };
  const showSaveDialog = (...args: [object, ...unknown[]]): Promise<Electron.SaveDialogReturnValue> => {
    wire.tell('save dialog', optionsOf<Electron.SaveDialogOptions>(args).defaultPath);
    return new Promise((resolve) => {
      // An empty path is a dialog that was closed.
      saves.push((filePath) => resolve({ canceled: filePath === '', filePath }));
    });
  };
  return {
    showErrorBox: (title: string, content: string) => wire.tell('error', { title, content }),
    showMessageBox,
    showOpenDialog: openDialog(wire),
    showSaveDialog,
  } satisfies Pick<Electron.Dialog, 'showErrorBox' | 'showMessageBox' | 'showOpenDialog' | 'showSaveDialog'>;
}

/** The test picks a folder; an empty one is a dialog that was closed. */
function openDialog(wire: Wire) {
  const folders: ((path: string) => void)[] = [];
  wire.on('pick folder', (path: string) => {
    const pick = folders.shift();
    if (pick === undefined) throw new Error('No dialog for a folder is open');
    pick(path);
  });
  return (...args: [object, ...unknown[]]): Promise<Electron.OpenDialogReturnValue> => {
    const { properties, defaultPath } = optionsOf<Electron.OpenDialogOptions>(args);
    wire.tell('folder dialog', { properties, defaultPath });
    return new Promise((resolve) => {
      folders.push((path) => resolve({ canceled: path === '', filePaths: path === '' ? [] : [path] }));
    });
  };
}
