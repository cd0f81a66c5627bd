/** Reads the Markdown folders of sessions as another program would. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Every file below the folder, with its text, by its path. */
export async function filesBelow(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(folder.length + 1)] = await readFile(path, 'utf8');
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The front matter of a file; throws where there is none. */
export function fieldsOf(text: string): Record<string, unknown> {
  const yaml = /^---\n([\s\S]*?\n)---\n/.exec(text)?.[1];
  if (yaml === undefined) throw new Error('There is no front matter');
  return parse(yaml) as Record<string, unknown>;
}

/** Where the links lead, as paths below the folder of all sessions; those in what agents said are not the program's. */
export function linksOf(text: string): string[] {
  const own = text.replace(/^>.*$/gm, '');
  return [...own.matchAll(/\[\[([^\]|]+)(?:\|[^\]]*)?\]\]/g)].map(([, path]) => `${path}.md`);
}
