// Builds the component gallery into dist/gallery, with the components, styles and security policy of the app, and without
// its router. For development, run `npx vite --config e2e/gallery/vite.config.ts`.
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';
import { components, policy } from '../../vite.config.ts';

const ROOT = join(import.meta.dirname, '../..');
const KEYWORD = /^(?:none|self|script|unsafe-hashes|sha256-.*)$/;
const content = Object.entries(policy)
  .map(([name, values]) => [name, ...values.map((value) => (KEYWORD.test(value) ? `'${value}'` : value))].join(' '))
  .join('; ');

/** Adds the security policy to the built page. The policy would refuse the inline scripts of the development server. */
const securityPolicy: Plugin = {
  name: 'security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'content-security-policy', content }, injectTo: 'head-prepend' },
  ],
};
const stub = (name: string) => join(ROOT, `tests/lib/support/app-${name}.ts`);

export default defineConfig({
  root: import.meta.dirname,
  publicDir: join(ROOT, 'static'),
  plugins: [tailwindcss(), svelte({ configFile: false, ...components }), securityPolicy],
  resolve: {
    alias: { '$app/navigation': stub('navigation'), '$app/paths': stub('paths'), '$app/state': stub('state') },
  },
  build: { outDir: join(ROOT, 'dist/gallery'), emptyOutDir: true },
  worker: { format: 'es' },
});
