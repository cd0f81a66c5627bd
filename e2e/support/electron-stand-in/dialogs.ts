/** `dialog`: what is asked of the person is told to the test, which answers. */
import type * as Electron from 'electron';
import type { Wire } from '../wire.ts';

export function standInDialog(wire: Wire) {
  const boxes: { options: Electron.MessageBoxOptions; answer: (response: number) => void }[] = [];
  const folders: ((path: string) => void)[] = [];
  /** A button by its label, or Escape; nothing presses one by itself. */
  wire.on('press', (label: string) => {
    const box = boxes.shift();
    if (box === undefined) throw new Error('No box is open');
    const { buttons = ['OK'], cancelId = 0 } = box.options;
    const response = label === 'Escape' ? cancelId : buttons.indexOf(label);
    if (response < 0) throw new Error(`The box has no "${label}"`);
    box.answer(response);
  });
  /** Empty: none. */
  wire.on('pick folder', (path: string) => {
    const pick = folders.shift();
    if (pick === undefined) throw new Error('No dialog for a folder is open');
    pick(path);
  });
  return {
    showErrorBox: (title: string, content: string) => wire.tell('error', { title, content }),
    showMessageBox: (...given: [Electron.BaseWindow, Electron.MessageBoxOptions] | [Electron.MessageBoxOptions]) => {
      const options = given.at(-1) as Electron.MessageBoxOptions;
      const { message, detail, buttons } = options;
      wire.tell('message', { message, detail, buttons });
      return new Promise<Electron.MessageBoxReturnValue>((resolve) =>
        boxes.push({ options, answer: (response) => resolve({ response, checkboxChecked: false }) }),
      );
    },
    showOpenDialog: (...given: [Electron.BaseWindow, Electron.OpenDialogOptions] | [Electron.OpenDialogOptions]) => {
      const { properties, defaultPath } = given.at(-1) as Electron.OpenDialogOptions;
      wire.tell('folder dialog', { properties, defaultPath });
      return new Promise<Electron.OpenDialogReturnValue>((resolve) =>
        folders.push((path) => resolve({ canceled: path === '', filePaths: path === '' ? [] : [path] })),
      );
    },
  };
}
