/** The licences of all that is shipped as one text, and the same packages as a CycloneDX list, which `npm sbom` makes. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameAt, ROOT, shippedPackages, versionAt } from './shipped.ts';

const LICENCE = /^(licen[cs]e|copying|notice)/i;
const MOST_BYTES = 2 ** 26;

interface Described {
  license?: string;
  author?: string | { name?: string };
  repository?: string | { url?: string };
}

/** Its files of licences and notices; where it has none, who made it and where. */
function textsOf(place: string, { author, repository }: Described): string {
  const folder = join(ROOT, place);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => LICENCE.test(name)) : [];
  if (names.length > 0) return names.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
  const who = typeof author === 'string' ? author : author?.name;
  const where = typeof repository === 'string' ? repository : repository?.url;
  return `The package has no text of it.${who ? ` By ${who}.` : ''}${where ? ` From ${where}` : ''}`;
}

function describe(place: string): Described {
  const file = join(ROOT, place, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Described) : {};
}

function licences(places: readonly string[]): string {
  const parts = places.map((place) => {
    const described = describe(place);
    const title = `${nameAt(place)} ${versionAt(place)} (${described.license ?? 'see below'})`;
    return `${title}\n${'-'.repeat(title.length)}\n${textsOf(place, described)}\n`;
  });
  const before = 'What Triad is shipped with, in its bundles or beside them, and under which terms.\n';
  return [before, ...new Set(parts)].join('\n\n');
}

interface Bom {
  components: { name: string; version: string; purl: string; 'bom-ref': string }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/** What is shipped of all that the lock names; the others build and test it. */
function sbom(places: readonly string[]): string {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  // Some packages say that they want older peers than they are built with.
  const args = ['sbom', ...format, '--package-lock-only', '--legacy-peer-deps'];
  const npm = process.env['npm_execpath'];
  const options = { cwd: ROOT, maxBuffer: MOST_BYTES, encoding: 'utf8' } as const;
  const told = npm ? execFileSync(process.execPath, [npm, ...args], options) : execFileSync('npm', args, options);
  const bom = JSON.parse(told) as Bom;
  const shipped = new Set(places.map((place) => `${nameAt(place)}@${versionAt(place)}`));
  const components = bom.components.filter(({ name, version }) => shipped.has(`${name}@${version}`));
  const refs = new Set(components.map((one) => one['bom-ref']));
  const isRoot = ({ ref }: { ref: string }) => !bom.components.some((one) => one['bom-ref'] === ref);
  const dependencies = bom.dependencies
    .filter((one) => refs.has(one.ref) || isRoot(one))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((name) => refs.has(name)) }));
  return `${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`;
}

/** Into `dist`, as `THIRD-PARTY-LICENSES.txt` and `sbom.cdx.json`. */
export function writeNotices(): void {
  const places = shippedPackages();
  writeFileSync(join(ROOT, 'dist/THIRD-PARTY-LICENSES.txt'), licences(places));
  writeFileSync(join(ROOT, 'dist/sbom.cdx.json'), sbom(places));
}
