// Nobody keeps a text where it is read once, at the start of a module or of a component: it would stay in the language
// of that moment. Groups of texts may be kept.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { text } from '#lib/words/text.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RUNES = /^\$(derived|derived\.by|effect|effect\.pre|inspect)$/;

/** What is kept of `text` by the statements of a file, as they are written. */
function keptIn(source: ts.SourceFile): string[] {
  const known = new Map<string, unknown>();
  const kept: string[] = [];
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (!/words\/text\.ts'$/.test(statement.moduleSpecifier.getText(source)) || !bindings) continue;
    if (ts.isNamedImports(bindings))
      for (const { name, propertyName } of bindings.elements)
        if ((propertyName ?? name).text === 'text') known.set(name.text, text);
  }

  /** What an expression is of the texts; undefined where it is none of them. */
  function partOf(node: ts.Node): unknown {
    if (ts.isIdentifier(node)) return known.get(node.text);
    if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return partOf(node.expression);
    if (!ts.isPropertyAccessExpression(node)) return undefined;
    const group = partOf(node.expression);
    return isGroup(group) ? Reflect.get(group, node.name.text) : undefined;
  }

  function look(node: ts.Node): void {
    if (ts.isFunctionLike(node) || ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isCallExpression(node) && RUNES.test(node.expression.getText(source))) return;
    if (ts.isCallExpression(node) && node.expression.getText(source) === 'Object.keys') return;
    if (ts.isElementAccessExpression(node) && isGroup(partOf(node.expression))) kept.push(node.getText(source));
    const part = partOf(node);
    if (part !== undefined) {
      if (!isGroup(part)) kept.push(node.getText(source));
      return;
    }
    if (ts.isVariableDeclaration(node) && node.initializer && isGroup(partOf(node.initializer))) {
      if (ts.isIdentifier(node.name)) known.set(node.name.text, partOf(node.initializer));
      else
        for (const { name, propertyName } of (node.name as ts.ObjectBindingPattern).elements) {
          const value = Reflect.get(
            partOf(node.initializer) as object,
            ((propertyName ?? name) as ts.Identifier).text,
          ) as unknown;
          if (isGroup(value) && ts.isIdentifier(name)) known.set(name.text, value);
          else kept.push(node.getText(source));
        }
      return;
    }
    if (ts.isSpreadAssignment(node) && isGroup(partOf(node.expression))) kept.push(node.getText(source));
    if (ts.isCallExpression(node))
      for (const argument of node.arguments) if (isGroup(partOf(argument))) kept.push(node.getText(source));
    ts.forEachChild(node, look);
  }
  source.statements.forEach(look);
  return kept;
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const keptInText = (code: string) => keptIn(ts.createSourceFile('a.ts', code, ts.ScriptTarget.Latest, true));

it('no module or component stores a text outside a function', () => {
  const kept = globSync('src/{lib,routes}/**/*.{ts,svelte}', { cwd: ROOT }).flatMap((path) => {
    if (/[\\/](words|parts)[\\/]/.test(path) && path.includes('routes')) return [];
    if (path.replaceAll('\\', '/').startsWith('src/lib/words/')) return [];
    const source = readFileSync(join(ROOT, path), 'utf8');
    if (!source.includes('words/text.ts')) return [];
    const scripts = path.endsWith('.ts')
      ? [source]
      : [...source.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, code = '']) => code);
    return scripts.flatMap((code) => keptInText(code).map((one) => `${path}: ${one}`));
  });
  expect(kept).toEqual([]);
});

it('the check finds stored texts, and allows stored groups of texts', () => {
  const head = "import { text } from '#lib/words/text.ts';\n";
  for (const code of [
    'const label = text.close;',
    'const { words } = { words: text.stage.stop };',
    'const words = text.stage; const LABELS = { stop: words.stop };',
    'const { stop } = text.stage;',
    'const says = text.stage.by("a");',
    'const all = { ...text.phases };',
    'const all = Object.entries(text.phases);',
    'class Draft { label = text.close; }',
    'let { title = text.close } = $props();',
  ])
    expect(keptInText(head + code), code).not.toEqual([]);
  for (const code of [
    'const words = text.stage;',
    'const { compare } = text.stage;',
    'const label = $derived(text.close);',
    'const label = () => text.close;',
    'class Draft { get label() { return text.close; } }',
    'const STATES = Object.keys(text.phases);',
    'let state: keyof typeof text.phases;',
  ])
    expect(keptInText(head + code), code).toEqual([]);
});
