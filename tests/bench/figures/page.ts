/** What the built page makes the browser load, and what it then costs. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Figure, figure, unmeasured } from '../figure.ts';
import type { Session } from '../session.ts';
import { browserFigures } from './browser.ts';

const BUILD = join(import.meta.dirname, '../../../build');
const SCRIPT_BAR = { atMost: 200 };
const SCRIPT = 'script of the first route, gzip';

export async function pageFigures(session: Session): Promise<Figure[]> {
  return [await scriptFigure(), ...(await browserFigures(session))];
}

/** The modules that the page preloads or imports at its start, with all that these import statically. */
async function scriptFigure(): Promise<Figure> {
  const page = join(BUILD, 'index.html');
  if (!existsSync(page)) return unmeasured('script', SCRIPT, SCRIPT_BAR, 'build/ is missing: npm run build');
  const html = await readFile(page, 'utf8');
  const files = new Set<string>();
  for (const [, path = ''] of html.matchAll(/["'(](?:\.?\/)?(_app\/[^"')]+\.js)["')]/g)) await collect(path, files);
  let bytes = 0;
  for (const file of files) bytes += gzipSync(await readFile(join(BUILD, file))).length;
  return figure({
    id: 'script',
    title: SCRIPT,
    unit: 'KB',
    bar: SCRIPT_BAR,
    ours: bytes / 1024,
    note: `${files.size} files that the start page loads; route modules that it imports later are not counted`,
  });
}

async function collect(path: string, files: Set<string>): Promise<void> {
  if (files.has(path) || !existsSync(join(BUILD, path))) return;
  files.add(path);
  const code = await readFile(join(BUILD, path), 'utf8');
  for (const [, specifier = ''] of code.matchAll(/(?:import|from)\s*["'](\.{1,2}\/[^"']+\.js)["']/g))
    await collect(posix.join(dirname(path), specifier), files);
}
