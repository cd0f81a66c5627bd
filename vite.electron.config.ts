// Builds the program into dist/electron: the desktop's main process and the command line (ESM, with chunks that both use),
// and the desktop's preload (CommonJS, as a sandbox wants it).
import { join, relative } from 'node:path';
import { defineConfig, type EnvironmentOptions, normalizePath, type Plugin, type UserConfig } from 'vite';

const root = import.meta.dirname;
/** Loaded from node_modules at run time: the runtime's own module, and the engine with its binaries. */
const external = ['electron', 'surrealdb', '@surrealdb/node'];

/**
 * Sources find their files beside themselves; in the bundle they still do: what `import.meta` says is where the source
 * stood, except for threads, whose TypeScript becomes a chunk of its own.
 */
const filesBesideSources = (outDir: string): Plugin => ({
  name: 'files-beside-sources',
  enforce: 'pre',
  transform(code, id) {
    const [file = ''] = id.split('?');
    if (!/\/(src|tests|e2e)\//.test(file.slice(root.length)) || !code.includes('import.meta.')) return null;
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
});

type Environment = Pick<EnvironmentOptions, 'consumer' | 'resolve' | 'build'>;
/** `input`: sources by the names of what is built of them. */
const environment = (
  outDir: string,
  input: Record<string, string>,
  format: 'es' | 'cjs',
  names: string,
): Environment => ({
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

/** Node programs from TypeScript: modules by default, `cjs` for what has to be CommonJS. */
export function programs(folder: string, modules: Record<string, string>, cjs?: Record<string, string>): UserConfig {
  const outDir = join(root, folder);
  const environments = {
    main: environment(outDir, modules, 'es', '[name].js'),
    ...(cjs && { preload: environment(outDir, cjs, 'cjs', '[name].cjs') }),
  };
  return {
    publicDir: false,
    logLevel: 'warn',
    plugins: [filesBesideSources(outDir)],
    environments,
    builder: {
      buildApp: async (builder) => {
        for (const name of Object.keys(environments)) await builder.build(builder.environments[name]!);
      },
    },
  };
}

export default defineConfig(
  programs(
    'dist/electron',
    { main: join(root, 'electron/main.ts'), cli: join(root, 'src/hosts/cli.ts') },
    { preload: join(root, 'electron/preload.ts') },
  ),
);
