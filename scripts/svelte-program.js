// ESLint's parser of what components contain, with one TypeScript program of all of them, which is made once: a seventh
// of the time less than with the program that typescript-eslint keeps for changes of files, and into which Svelte's parser
// puts each component twice.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parser } from 'typescript-eslint';

/** False where the rules that need types are left out, and so the program of all components (scripts/stages.cjs). */
export const withTypes = process.env.TYPED_COMPONENTS !== 'false';

// Components are read as the TypeScript that Svelte's parser makes of them. It looks at this while it loads, so this file
// is imported before eslint-plugin-svelte.
if (withTypes) process.env.SVELTE_ESLINT_PARSER_EXPERIMENTAL_TS_SYS_HOOK = '1';

const ROOT = join(import.meta.dirname, '..');
const COMPONENTS = [{ extension: '.svelte', isMixedContent: true, scriptKind: ts.ScriptKind.Deferred }];

/** An import of a component leads to itself: Svelte's parser would have it in a second file, `X.svelte.ts`. */
function toComponent(resolution) {
  const path = resolution.resolvedModule?.resolvedFileName;
  if (!path?.endsWith('.svelte.ts') || existsSync(path)) return resolution;
  const resolvedFileName = path.slice(0, -'.ts'.length);
  return { ...resolution, resolvedModule: { ...resolution.resolvedModule, resolvedFileName } };
}

function createProgram() {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => fail(messageText) };
  const path = join(ROOT, 'tsconfig.web.json');
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(
    path,
    { allowNonTsExtensions: true },
    host,
    undefined,
    undefined,
    COMPONENTS,
  );
  const compiler = ts.createCompilerHost(options, true);
  const known = ts.createModuleResolutionCache(ROOT, (name) => name, options);
  compiler.resolveModuleNameLiterals = (literals, from, redirected, given, file) =>
    literals.map((literal) => {
      const mode = ts.getModeForUsageLocation(file, literal, given);
      return toComponent(ts.resolveModuleName(literal.text, from, given, compiler, known, redirected, mode));
    });
  // What else the configuration names is not read here: what components import is found anyway.
  const roots = fileNames.filter((name) => /\.svelte$|\.d\.ts$/.test(name));
  return ts.createProgram(roots, options, compiler);
}

function fail(reason) {
  throw new Error(ts.flattenDiagnosticMessageText(reason, '\n'));
}

let program;
const has = (path, code) => program?.getSourceFile(path)?.text === code;

export const inOneProgram = {
  ...parser,
  parseForESLint(code, options) {
    // Svelte's parser asks without types while it makes TypeScript of a component, also for the program itself.
    if (options.projectService !== false) return parser.parseForESLint(code, options);
    const { filePath } = options;
    // Again after `--fix` or an editor has changed a component.
    if (!has(filePath, code)) program = createProgram();
    // Places and types would be those of another text.
    if (!has(filePath, code)) fail(`${filePath} is not in the program as it is parsed`);
    return parser.parseForESLint(code, { ...options, programs: [program] });
  },
};
