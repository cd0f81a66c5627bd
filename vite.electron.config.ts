// Builds the program into dist/electron: the desktop's main process and the command line (ESM, with chunks that both use),
// and the desktop's preload (CommonJS, as a sandbox wants it).
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

const environment = (input: Record<string, string>, format: 'es' | 'cjs', names: string): EnvironmentOptions => ({
  consumer: 'server',
  resolve: { noExternal: true, external },
  build: {
    outDir,
    // A program that runs still loads the chunks that it was started with; the bootstrap removes old ones.
    emptyOutDir: false,
    target: 'node24',
    minify: false,
    copyPublicDir: false,
    rolldownOptions: {
      input,
      external,
      output: { format, entryFileNames: names, chunkFileNames: '[name]-[hash].js' },
    },
  },
});

export default defineConfig({
  publicDir: false,
  logLevel: 'warn',
  plugins: [filesBesideSources],
  environments: {
    main: environment({ main: join(root, 'electron/main.ts'), cli: join(root, 'src/hosts/cli.ts') }, 'es', '[name].js'),
    preload: environment({ preload: join(root, 'electron/preload.ts') }, 'cjs', '[name].cjs'),
  },
  builder: {
    buildApp: async (builder) => {
      for (const name of ['main', 'preload']) await builder.build(builder.environments[name]!);
    },
  },
});
