/** The face that the page preloads is the one of the package, and no face is asked for from anywhere else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path));

test('the page and style sheet use the packaged Inter font, under a name with its version', () => {
  const { version } = JSON.parse(String(read('node_modules/@fontsource-variable/inter/package.json'))) as {
    version: string;
  };
  const copy = `fonts/inter-${version}.woff2`;
  const own = read('node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');
  expect(read(`static/${copy}`).equals(own)).toBe(true);
  expect(String(read('src/app.html'))).toContain(`href="%sveltekit.assets%/${copy}" as="font"`);
  expect(String(read('src/fonts.css'))).toContain(`url('/${copy}')`);
});

test('all fonts are bundled with the app', () => {
  const places = [...String(read('src/fonts.css')).matchAll(/url\('([^']*)'\)/g)].map(([, place]) => place);
  expect(places).toHaveLength(4);
  for (const place of places) expect(place).toMatch(/^(\/fonts\/|@fontsource-variable\/)/);
});
