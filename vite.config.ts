// Builds the web client into build/; SvelteKit 3 takes its options here, there is no svelte.config.js.
import adapter from '@sveltejs/adapter-static';
import type { Config } from '@sveltejs/kit/vite';
import { sveltekit } from '@sveltejs/kit/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';
import { plainIcons } from './scripts/plain-icons.ts';

/** How components are compiled. */
export const components = {
  preprocess: plainIcons,
  compilerOptions: {
    // Runes for our own files; libraries decide for themselves.
    runes: ({ filename }: { filename: string }) => (/[\\/]node_modules[\\/]/.test(filename) ? undefined : true),
  },
};

/** Content security policy of the page. */
export const policy = {
  'default-src': ['none'],
  'script-src': ['self'],
  'style-src': ['self'],
  // The static style attributes of kit's route announcer and of bits-ui's Command; from the browser's report.
  'style-src-attr': [
    'unsafe-hashes',
    'sha256-S8qMpvofolR8Mpjy4kQvEm7m1q8clzU4dfDH0AmvZjo=',
    'sha256-iaOezIDcQIoxCULa6FBKKuLUu09R7kG+Mlu+JVfU3Rw=',
  ],
  'img-src': ['self', 'data:'],
  'font-src': ['self'],
  'connect-src': ['self'],
  'base-uri': ['none'],
  'form-action': ['none'],
  'require-trusted-types-for': ['script'],
  // `svelte-trusted-html` is for templates, `dompurify` for sanitised Markdown, `triad-worker` for one address.
  'trusted-types': ['svelte-trusted-html', 'dompurify', 'triad-worker'],
} satisfies NonNullable<Config['csp']>['directives'];

export default defineConfig({
  plugins: [
    tailwindcss(),
    sveltekit({
      ...components,
      adapter: adapter({ fallback: 'index.html' }),
      csp: { mode: 'hash', directives: policy },
    }),
  ],
  // For whoever packs: which packages are in it (scripts/package/shipped.ts).
  build: { license: { fileName: '.vite/licences.json' } },
  // It loads languages as they are needed.
  worker: { format: 'es' },
});
