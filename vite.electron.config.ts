// Builds the program into dist/electron: the desktop's main process and the command line (ESM, with chunks that both use),
// and the desktop's preload (CommonJS, as a sandbox wants it).
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  defineConfig,
  type EnvironmentOptions,
  normalizePath,
  type Plugin,
  type Rolldown,
  type UserConfig,
} from 'vite';

const root = import.meta.dirname;
/** Loaded from node_modules at run time: the runtime's own module, and the engine with its binaries. */
const external = ['electron', 'surrealdb', '@surrealdb/node'];

/** Which packages are in it, for whoever packs (scripts/package/shipped.ts). */
const LICENCES = 'licences.json';

/** A file, or all those of a folder, by their names in the bundle. */
function filesAt(path: string, name: string): [name: string, bytes: Buffer][] {
  if (!statSync(path).isDirectory()) return [[name, readFileSync(path)]];
  return readdirSync(path).flatMap((one) => filesAt(join(path, one), `${name}/${one}`));
}

/**
 * What a source finds beside itself (`new URL('./…', import.meta.url)`) lies beside the bundle: programs and threads as
 * chunks of their own, other files and folders as they are.
 * For what is further away `import.meta` says where the source stood, so that it finds what is not in `src/`: schema,
 * pages, package.json.
 */
const filesBesideSources = (outDir: string): Plugin => ({
  name: 'files-beside-sources',
  enforce: 'pre',
  transform(code, id) {
    const [file = ''] = id.split('?');
    if (!/\/(src|tests|e2e)\//.test(file.slice(root.length)) || !code.includes('import.meta.')) return null;
    const source = normalizePath(relative(outDir, file));
    const beside = code.replaceAll(/new URL\('\.\/([\w.-]+)', import\.meta\.url\)/g, (_all, name: string) => {
      const path = join(file, '..', name);
      const fileName = name.replace(/\.ts$/, '.js');
      if (fileName !== name) this.emitFile({ type: 'chunk', id: path, fileName });
      else for (const [asset, source] of filesAt(path, name)) this.emitFile({ type: 'asset', fileName: asset, source });
      return `new URL('./${fileName}', import.meta['url'])`;
    });
    const moved = beside
      .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${source}/..')`)
      .replaceAll(/import\.meta\.url/g, `new URL('${source}', import.meta.url).href`);
    return { code: moved, map: null };
  },
});

type Graph = Pick<Rolldown.PluginContext, 'getModuleInfo'>;

/**
 * Modules that every command loads, as the first sources of each chunk. Without such chunks there would be one for each few
 * modules, and to find and open so many files takes longer than to run them. Later chunks have what earlier ones lack.
 */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  entry: ['hosts/cli.ts'],
  // Threads and child processes need these, and nothing of a command.
  base: ['core/base/errors.ts', 'core/base/pattern.ts'],
  command: ['hosts/cli/start.ts', 'hosts/cli/program.ts'],
  connect: ['hosts/connect.ts', 'contract/history/store-notice.ts', 'contract/method.ts'],
  client: ['contract/rpc.ts', 'core/host/ownership/owner-connection.ts', 'core/settings/settings.ts'],
};

/** Returns the function that names the chunk of a module; null for one that the bundler decides about. */
function createChunkNames(): (id: string, graph: Graph) => string | null {
  let names: Map<string, string> | null = null;
  return (id, graph) => (names ??= nameChunks(graph)).get(id) ?? null;
}

function nameChunks(graph: Graph): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, sources] of Object.entries(SHARED)) {
    const moduleIds = new Set(sources.map((source) => normalizePath(join(root, 'src', source))));
    for (const id of moduleIds) {
      const { isEntry = false, importedIds = [] } = graph.getModuleInfo(id) ?? {};
      for (const one of importedIds) moduleIds.add(one);
      // An entry waits for later chunks, so none of them may import its file.
      if (!isEntry && !names.has(id)) names.set(id, name);
    }
  }
  return names;
}

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
    emitAssets: true,
    // Of a preload there is none to tell of.
    license: format === 'es' && { fileName: LICENCES },
    target: 'node24',
    minify: false,
    copyPublicDir: false,
    rolldownOptions: {
      input,
      external,
      output: {
        format,
        entryFileNames: names,
        chunkFileNames: '[name]-[hash].js',
        codeSplitting: format === 'es' && {
          groups: [{ name: createChunkNames(), debugName: 'shared', includeDependenciesRecursively: false }],
        },
      },
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
        const built: string[] = [];
        for (const name of Object.keys(environments)) {
          const outputs = [await builder.build(builder.environments[name]!)].flat();
          for (const one of outputs) if ('output' in one) built.push(...one.output.map(({ fileName }) => fileName));
        }
        // Beside them lie files of earlier builds: only these are packed.
        writeFileSync(`${outDir}.json`, JSON.stringify(built.filter((name) => name !== LICENCES).sort()));
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
