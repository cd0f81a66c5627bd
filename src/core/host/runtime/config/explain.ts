/** Where the settings that hold in a folder come from: the environment, a file with its line, or the program itself. */
import { join } from 'node:path';
import { parse } from 'smol-toml';
import type { ExplainedSetting, SettingOrigin } from '#contract/settings/setting-methods.ts';
import type { SettingRow } from '#contract/view.ts';
import { PROJECT_CONFIG } from '#core/agents/places.ts';
import { parseRules } from '#core/approvals/rule-files.ts';
import { redact } from '#core/base/redact.ts';
import { sha256 } from '#core/base/hash.ts';
import { isMissing, readRegularFile } from '#core/base/regular-file.ts';
import type { Engine } from '#core/runs/engine.ts';
import { partsOf } from '#core/settings/dotted-path.ts';
import { NO_PROJECT_SETTINGS, type ProjectSettings } from '#core/settings/project-config.ts';
import { positionFinder } from '#core/base/toml-tree.ts';

type Value = SettingRow['value'];
type Other = ExplainedSetting['others'][number];

export interface ExplainPorts {
  engine: Engine;
  /** The person's settings file. */
  file: string;
  /** What the environment says of settings, by path. */
  environment: ReadonlyMap<string, { variable: string; value: string }>;
}

/** A file's text: which settings it says itself, and where. */
interface Said {
  file: string;
  at: (path: string) => { value: Value; line: number } | null;
}

/** `rows`: as the program has them. */
export async function explainSettings(
  { engine, file, environment }: ExplainPorts,
  folder: string,
  rows: readonly SettingRow[],
): Promise<ExplainedSetting[]> {
  const [own, project] = await Promise.all([textOf(file), projectOf(engine, folder)]);
  const mine = saidIn(own ?? '', file);
  return rows.map((row): ExplainedSetting => {
    const said = mine.at(row.path);
    const ownOrigin = originOf(row, file, said);
    const base = { ...row, origin: ownOrigin, others: lateOf(row, file, said) };
    const outer = environment.get(row.path);
    if (outer) {
      const others =
        row.value === null ? [] : [other(row.value, ownOrigin, 'environment', `${outer.variable} goes before it`)];
      return { ...base, value: shown(outer.value), origin: { from: 'environment', variable: outer.variable }, others };
    }
    return project === null ? base : withProject(base, project);
  });
}

/** An address may have a password: no settings that hold do, but a file that nobody has checked yet, or the environment. */
const shown = (value: Value): Value => (typeof value === 'string' ? redact(value) : value);

const other = (value: Value, origin: SettingOrigin, reason: Other['reason'], why: string): Other => ({
  value,
  origin,
  reason,
  why,
});

function originOf({ value, default: usual }: SettingRow, file: string, said: ReturnType<Said['at']>): SettingOrigin {
  if (said !== null && said.value === value) return { from: 'user', file, line: said.line };
  // The file may have been changed since the program read it.
  return value === usual ? { from: 'default' } : { from: 'user', file, line: null };
}

/** What the file says that the program has not read yet. */
function lateOf({ value, default: usual }: SettingRow, file: string, said: ReturnType<Said['at']>): Other[] {
  const why = 'it was changed in the file, which is read at the next start';
  if (said !== null && said.value !== value)
    return [other(shown(said.value), { from: 'user', file, line: said.line }, 'late', why)];
  if (said === null && value !== usual) return [other(usual, { from: 'default' }, 'late', why)];
  return [];
}

interface Project extends Said {
  isTrusted: boolean;
  settings: ProjectSettings;
}

/** A limit of the project's holds where it is lower than the person's. */
function withProject(row: ExplainedSetting, { file, at, isTrusted, settings }: Project): ExplainedSetting {
  const wanted = settings.get(row.path);
  const said = at(row.path);
  if (wanted === undefined || said === null) return row;
  const origin: SettingOrigin = { from: 'project', file, line: said.line };
  const isLower = typeof wanted !== 'number' || typeof row.value !== 'number' || wanted < row.value;
  if (isTrusted && isLower) {
    const old = other(row.value, row.origin, 'lowered', 'the project lowers it');
    return { ...row, value: wanted, origin, others: [...row.others, ...(row.value === null ? [] : [old])] };
  }
  const idle = isTrusted
    ? other(wanted, origin, 'idle', 'yours is not higher')
    : other(wanted, origin, 'untrusted', 'the file is not trusted: see "triad trust"');
  return { ...row, others: [...row.others, idle] };
}

async function projectOf({ trust }: Engine, folder: string): Promise<Project | null> {
  const file = join(folder, PROJECT_CONFIG);
  const text = await textOf(file);
  if (text === null) return null;
  const { faults, project } = parseRules(text, file, 'project');
  const isTrusted = await trust.trusts(folder, PROJECT_CONFIG, sha256(text));
  return { ...saidIn(text, file), isTrusted, settings: faults.length === 0 ? project : NO_PROJECT_SETTINGS };
}

/** Null where nothing can be read. */
async function textOf(file: string): Promise<string | null> {
  return readRegularFile(file).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

/** Of a text that is no TOML, nothing is said. */
function saidIn(text: string, file: string): Said {
  let table: unknown = {};
  try {
    table = parse(text);
  } catch {
    // "triad config validate" tells what is wrong with it.
  }
  const findPosition = positionFinder(text);
  return {
    file,
    at: (path) => {
      const parts = partsOf(path) ?? [];
      const value = parts.reduce(
        (at: unknown, key) =>
          Object.hasOwn(Object(at) as object, key) ? Reflect.get(Object(at) as object, key) : undefined,
        table,
      );
      const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return isPlain ? { value, line: findPosition(parts).line } : null;
    },
  };
}
