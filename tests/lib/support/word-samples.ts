/** Values with which every function of a dictionary can be called, made from the types of its parameters. */
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../../..');
const MOST = 24;
/** What is read as a day or an instant. */
const DATES = /^(day|today|at|instant)$/i;

/** By the path of each function, its keys parted by `/`: the lists of values to call it with. */
export function wordSamples(): Map<string, unknown[][]> {
  const file = join(ROOT, 'src/lib/words/text.ts');
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.web.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram([file], { ...options, noEmit: true, lib: ['lib.esnext.d.ts'], types: [] });
  return new Sampler(program.getTypeChecker(), program.getSourceFile(file)!).all();
}

class Sampler {
  readonly #checker: ts.TypeChecker;
  readonly #source: ts.SourceFile;
  #made = 0;

  constructor(checker: ts.TypeChecker, source: ts.SourceFile) {
    this.#checker = checker;
    this.#source = source;
  }

  all(): Map<string, unknown[][]> {
    const found = new Map<string, unknown[][]>();
    const module = this.#checker.getSymbolAtLocation(this.#source)!;
    const text = this.#checker.getExportsOfModule(module).find(({ name }) => name === 'text')!;
    this.#collect(this.#typeOf(text), '', found);
    return found;
  }

  #typeOf(symbol: ts.Symbol): ts.Type {
    return this.#checker.getTypeOfSymbolAtLocation(symbol, this.#source);
  }

  #collect(type: ts.Type, path: string, found: Map<string, unknown[][]>): void {
    const [signature] = type.getCallSignatures();
    if (signature) {
      found.set(path, this.#lists(signature));
    } else if (!(type.flags & ts.TypeFlags.StringLike) && !this.#checker.isArrayLikeType(type)) {
      for (const property of type.getProperties())
        this.#collect(this.#typeOf(property), path === '' ? property.name : `${path}/${property.name}`, found);
    }
  }

  /** One list for each kind of value of any parameter. */
  #lists(signature: ts.Signature): unknown[][] {
    this.#made = 0;
    const each = this.#parametersOf(signature).map(({ name, type }) => this.#samples(type, name, 0));
    const most = Math.min(MOST, Math.max(1, ...each.map(({ length }) => length)));
    const straight = Array.from({ length: most }, (_, at) => each.map((samples) => samples[at % samples.length]));
    // And each against the first of the others, so that all of its kinds meet them.
    const crossed = each.flatMap((samples, place) =>
      samples.slice(1, MOST).map((sample) => each.map((others, at) => (at === place ? sample : others[0]))),
    );
    return [...straight, ...crossed];
  }

  /** A rest parameter is a tuple of all. */
  #parametersOf(signature: ts.Signature): { name: string; type: ts.Type }[] {
    return signature.getParameters().flatMap((parameter) => {
      const type = this.#typeOf(parameter);
      const declared = parameter.valueDeclaration;
      const isRest = declared !== undefined && ts.isParameter(declared) && declared.dotDotDotToken !== undefined;
      if (!isRest || !this.#checker.isTupleType(type)) return [{ name: parameter.name, type }];
      const names = (type as ts.TupleTypeReference).target.labeledElementDeclarations ?? [];
      return this.#checker
        .getTypeArguments(type as ts.TypeReference)
        .map((part, at) => ({ name: names[at]?.name.getText() ?? '', type: part }));
    });
  }

  #samples(type: ts.Type, name: string, depth: number): unknown[] {
    const { flags } = type;
    if (type.isStringLiteral() || type.isNumberLiteral()) return [type.value];
    if (flags & ts.TypeFlags.BooleanLiteral) return [this.#checker.typeToString(type) === 'true'];
    if (type.isUnion()) return type.types.flatMap((part) => this.#samples(part, name, depth));
    if (flags & ts.TypeFlags.String) return DATES.test(name) ? ['2026-01-31'] : [`Value${(this.#made += 1)}`];
    if (flags & ts.TypeFlags.Number) return [30 + (this.#made += 1), 1, 0];
    if (flags & ts.TypeFlags.Null) return [null];
    if (flags & ts.TypeFlags.Undefined) return [undefined];
    if (depth > 5 || flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [`Value${(this.#made += 1)}`];
    if (this.#checker.isArrayLikeType(type)) {
      const of = this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number);
      const items = of ? this.#samples(of, name, depth + 1) : [];
      return [items.slice(0, MOST), items.slice(0, 1)];
    }
    return this.#objects(type, depth);
  }

  /** As many as its property with most kinds. */
  #objects(type: ts.Type, depth: number): unknown[] {
    const parts = type.getProperties().map((property) => {
      const optional = property.flags & ts.SymbolFlags.Optional ? [undefined] : [];
      const samples = this.#samples(this.#typeOf(property), property.name, depth + 1);
      return [property.name, [...samples.filter((one) => one !== undefined), ...optional]] as const;
    });
    const most = Math.min(MOST, Math.max(1, ...parts.map(([, samples]) => samples.length)));
    return Array.from({ length: most }, (_, at) =>
      Object.fromEntries(
        parts.flatMap(([key, samples]) => {
          const value = samples[at % samples.length];
          return value === undefined ? [] : [[key, value]];
        }),
      ),
    );
  }
}
