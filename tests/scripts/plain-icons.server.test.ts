import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Component } from 'svelte';
import { render } from 'svelte/server';
import { expect, test } from 'vitest';
import { plainIcons } from '../../scripts/plain-icons.ts';
import { inFullRun } from '../support/samples.ts';

const library = 'node_modules/@lucide/svelte/dist/icons';
const root = join(import.meta.dirname, '../..');
const pages = globSync('src/**/*.svelte', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));
const importsOf = (page: string) => [...page.matchAll(/import (\w+) from '@lucide\/svelte\/icons\/([\w-]+)'/g)];
const icons = [...new Set(pages.flatMap(importsOf).map(([, , file]) => file!))].sort();

/** Its elements with their attributes, without the classes and what a compiler leaves between. */
const partsOf = (markup: string) =>
  [...markup.matchAll(/<([a-z]+)\s((?:[\w-]+="[^"]*"\s*|class=\{[^}]*\}\s*)*)\/?>/g)].map(([, tag, attributes]) => [
    tag,
    [...attributes!.matchAll(/([\w-]+)="([^"]*)"/g)]
      .filter(([, name]) => name !== 'class')
      .map(([text]) => text)
      .sort(),
  ]);

test('a plain icon has the shapes of the library icon', async () => {
  expect(icons.length).toBeGreaterThan(40);
  for (const icon of inFullRun ? icons : ['circle-check', 'history']) {
    // Some have another name now.
    const name = /"\.\/([\w-]+\.svelte)"/.exec(readFileSync(join(root, library, `${icon}.js`), 'utf8'))![1]!;
    const filename = join(root, library, name);
    const plain = await plainIcons.markup!({ content: readFileSync(filename, 'utf8'), filename });
    const { default: drawn } = (await import(filename)) as { default: Component };
    const parts = partsOf(render(drawn).body);
    expect(parts.length).toBeGreaterThan(1);
    expect(partsOf(plain!.code)).toEqual(parts);
  }
});

test('pages pass no attributes to icons except class and aria-hidden', () => {
  const given = pages.flatMap((page) =>
    ['Icon', ...importsOf(page).map(([, name]) => name!)].flatMap((name) =>
      [...page.matchAll(new RegExp(`<${name}\\b((?:[^>{]|\\{[^}]*\\})*)>`, 'g'))].map(([, attributes]) => attributes!),
    ),
  );
  expect(given.length).toBeGreaterThan(80);
  const other = given.map((attributes) => attributes.replace(/class=("[^"]*"|\{[^}]*\})|aria-hidden="true"|\//g, ''));
  expect(other.filter((rest) => rest.trim() !== '')).toEqual([]);
});
