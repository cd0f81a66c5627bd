/** The thread of one PDF: takes the text out of it, page by page. */
import { parentPort, workerData } from 'node:worker_threads';
import { getDocumentProxy } from 'unpdf';
import type { PdfMessage } from './pdf.ts';

const tell = (message: PdfMessage): void => parentPort?.postMessage(message);

try {
  // Warnings of the parser are nobody's.
  const document = await getDocumentProxy(workerData as Uint8Array, { verbosity: 0 });
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const parts = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''));
    const text = parts
      .join('')
      .replaceAll('\0', '')
      .replaceAll(/[^\S\n]+$/gm, '')
      .replace(/\n+$/, '');
    tell({ type: 'page', number, of: document.numPages, text });
    page.cleanup();
  }
  tell({ type: 'end' });
} catch (error) {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  tell({ type: 'failure', isLocked: name === 'PasswordException', message });
}
