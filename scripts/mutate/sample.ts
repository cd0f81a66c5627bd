/** Lists the changes that Stryker makes to source files (mutants), takes a sample and puts it into the code. */
import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

interface Location {
  /** Lines and columns begin with 0. */
  start: { line: number; column: number };
  end: { line: number; column: number };
}

interface Mutant {
  id: string;
  fileName: string;
  mutatorName: string;
  location: Location;
  replacement: string;
  /** Set if a comment in the source excludes the mutant. */
  status?: string;
}

interface SourceFile {
  name: string;
  content: string;
  /** `true` for every mutant, or the locations of the wanted ones. */
  mutate: true | Location[];
}

export interface SourceMutant extends Mutant {
  /** The replaced code. */
  original: string;
}

interface Instrumenter {
  instrument(files: SourceFile[], options: object): Promise<{ files: SourceFile[]; mutants: Mutant[] }>;
}

/** Installed by `npm run mutate` only, so its types are declared above. */
const PACKAGE: string = '@stryker-mutator/instrumenter';

async function runInstrumenter(root: string, locations: ReadonlyMap<string, true | Location[]>) {
  const { Instrumenter } = (await import(PACKAGE)) as { Instrumenter: new (logger: object) => Instrumenter };
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, isDebugEnabled: () => false };
  const files = [...locations].map(([name, mutate]) => ({
    name,
    mutate,
    content: readFileSync(join(root, name), 'utf8'),
  }));
  return new Instrumenter(silent).instrument(files, { plugins: null, ignorers: [], excludedMutations: [] });
}

/** Lists all mutants of these files, in the order of the code. */
export async function listMutants(root: string, files: readonly string[]): Promise<SourceMutant[]> {
  const { mutants } = await runInstrumenter(root, new Map(files.map((file) => [file, true])));
  const lines = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8').split('\n')]));
  return mutants
    .filter(({ status }) => status === undefined)
    .map((mutant) => ({ ...mutant, original: getText(lines.get(mutant.fileName) ?? [], mutant.location) }));
}

function getText(lines: readonly string[], { start, end }: Location): string {
  const last = (lines[end.line] ?? '').slice(0, end.column);
  if (start.line === end.line) return last.slice(start.column);
  return [(lines[start.line] ?? '').slice(start.column), ...lines.slice(start.line + 1, end.line), last].join('\n');
}

/** Takes `size` of the mutants. The same seed takes the same mutants, also after their lines have moved. */
export function takeSample(mutants: readonly SourceMutant[], size: number, seed: string): SourceMutant[] {
  const repetitions = new Map<string, number>();
  const ranked = mutants.map((mutant) => {
    const text = JSON.stringify([mutant.fileName, mutant.mutatorName, mutant.original, mutant.replacement]);
    const repetition = repetitions.get(text) ?? 0;
    repetitions.set(text, repetition + 1);
    return { mutant, rank: createHash('sha256').update(`${seed} ${repetition} ${text}`).digest('hex') };
  });
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, size).map(({ mutant }) => mutant);
}

/** Puts each mutant behind a switch. Returns the files, and the mutants with the name of their switch as the id. */
export async function instrument<T extends SourceMutant>(root: string, sample: readonly T[]) {
  const byIdentity = new Map(sample.map((mutant) => [identifyMutant(mutant), mutant]));
  const locations = [...Map.groupBy(sample, ({ fileName }) => fileName)].map(
    ([name, mutants]) => [name, mutants.map(({ location }) => location)] as const,
  );
  const { files, mutants } = await runInstrumenter(root, new Map(locations));
  const switches = mutants.flatMap((mutant) => {
    const original = byIdentity.get(identifyMutant(mutant));
    return original ? [{ ...original, id: mutant.id }] : [];
  });
  return { files: files.map((file) => ({ ...file, content: addThreadSwitches(file.content) })), mutants: switches };
}

/** Makes the switches work in threads, which have no environment variables. `setup.ts` sets the data. */
function addThreadSwitches(content: string): string {
  const variable = 'g.process.env.__STRYKER_ACTIVE_MUTANT__';
  const data = "g.process.getBuiltinModule('node:worker_threads').getEnvironmentData('mutant')";
  return content.replaceAll(variable, `(${variable} ?? ${data})`);
}

function identifyMutant({ fileName, location, mutatorName, replacement }: Mutant): string {
  return JSON.stringify([fileName, location, mutatorName, replacement]);
}
