// Builds the desktop's main process (ESM) and its preload (CommonJS, as a sandbox wants it) into dist/electron.
import { join, relative } from 'node:path';
import { defineConfig, type EnvironmentOptions, normalizePath, type Plugin } from 'vite';

const root = import.meta.dirname;
const outDir = join(root, 'dist/electron');
/** Loaded from node_modules at run time: the runtime's own module, and the engine with its binaries. */
const external = ['electron', 'surrealdb', '@surrealdb/node'];

/**
 * Sources find their files beside themselves; in the bundle they still do: what `import.meta` says is where the source
 * stood, except for threads, whose TypeScript becomes a chunk of its own.
 */
const filesBesideSources: Plugin = {
  name: 'files-beside-sources',
  enforce: 'pre',
  transform(code, id) {
    const [file = ''] = id.split('?');
    if (!file.startsWith(normalizePath(join(root, 'src'))) || !code.includes('import.meta.')) return null;
    const source = normalizePath(relative(outDir, file));
    const threads = code.replaceAll(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g, (_all, name: string) => {
      this.emitFile({ type: 'chunk', id: join(file, '..', `${name}.ts`), fileName: `${name}.js` });
      return `new URL('./${name}.js', import.meta['url'])`;
    });
    const moved = threads
      .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${source}/..')`)
      .replaceAll(/import\.meta\.url/g, `new URL('${source}', import.meta.url).href`);
    return { code: moved, map: null };
  },
};

const environment = (entry: string, format: 'es' | 'cjs', name: string): EnvironmentOptions => ({
  consumer: 'server',
  resolve: { noExternal: true, external },
  build: {
    outDir,
    // The first of the two.
    emptyOutDir: format === 'es',
    target: 'node24',
    minify: false,
    copyPublicDir: false,
    rolldownOptions: {
      input: join(root, 'electron', entry),
      external,
      output: { format, entryFileNames: name, chunkFileNames: '[name]-[hash].js' },
    },
  },
});

export default defineConfig({
  publicDir: false,
  logLevel: 'warn',
  plugins: [filesBesideSources],
  environments: {
    main: environment('main.ts', 'es', 'main.js'),
    preload: environment('preload.ts', 'cjs', 'preload.cjs'),
  },
  builder: {
    buildApp: async (builder) => {
      for (const name of ['main', 'preload']) await builder.build(builder.environments[name]!);
    },
  },
});
