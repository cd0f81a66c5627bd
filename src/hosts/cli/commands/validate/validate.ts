/**
 * `triad config validate`: every file that says what the program does, and what they name of each other. Reads the files
 * itself, because one of the person's that does not fit keeps the program from starting; never touches the network.
 */
import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { redacted } from '#core/base/redact.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { ModelLists } from '#core/model/model-lists.ts';
import { ModelRules } from '#core/model/model-rules.ts';
import { folders } from '#core/settings/folders.ts';
import { settingsFile } from '#core/settings/guarded-files.ts';
import { knowOwn } from '#core/settings/known-secrets.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import { tryRead } from '#core/settings/toml-file.ts';
import { EXIT } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { oneLine } from '../../render/format.ts';
import { visible } from '../../terminal/visible.ts';
import { agentReports } from '../agents/validate.ts';
import { clearKeys } from './clear-keys.ts';
import { faultFinding, type Finding } from './finding.ts';
import { lostFiles } from './lost-files.ts';
import { checkOwnFiles, type OwnFiles } from './own-files.ts';
import { checkProjectFiles } from './project-files.ts';
import { checkProviderKeys } from './provider-keys.ts';
import { checkReferences } from './references.ts';

export interface Checked {
  /** Errors and warnings by file and line. */
  findings: Finding[];
  /** Files that were read. */
  files: string[];
}

/** Exit code 1 where anything is an error. */
export async function validateAll(io: Io, { json = false }: { json?: boolean }): Promise<number> {
  const { screen } = io;
  const { findings, files } = await checkAll(io);
  const errors = findings.filter(({ level }) => level === 'error').length;
  if (json) screen.data(`${JSON.stringify({ ok: errors === 0, findings, files }, null, 2)}\n`);
  else for (const finding of findings) screen.data(`${findingLine(finding)}\n`);
  if (!json) {
    const { config } = await folders(io.env);
    const file = settingsFile(config);
    if (!files.includes(file)) screen.note(`There is no ${visible(file)}: all settings have their defaults.`);
    screen.note(summaryOf(files.length, errors, findings.length - errors));
  }
  return errors === 0 ? EXIT.ok : EXIT.failure;
}

export async function checkAll(io: Io): Promise<Checked> {
  const { config, data } = await folders(io.env);
  await knowOwn(config, io.env);
  const folder = await realpath(io.folder).catch(() => io.folder);
  const own = await checkOwnFiles(config);
  const project = await checkProjectFiles({ folder, data, limits: own.settings?.limits ?? null });
  const reports = await agentReports(io, {});
  const ofAgents = reports.flatMap(({ file, source, errors, warnings }) => [
    ...errors.map((one) => faultFinding(file, one, 'error')),
    // What comes with the program is not the person's to mend.
    ...(source === 'builtin' ? [] : warnings).map((one) => faultFinding(file, one, 'warning')),
  ]);
  const names = reports.flatMap(({ name }) => (name === null ? [] : [name]));
  const referring = await referencesOf(io, { config, data, own, names });
  const files = [...own.files, ...project.texts.keys(), ...ownFilesOf(reports)];
  const clear = await Promise.all(
    files.map(async (file) => {
      const read = await tryRead(file);
      return 'fault' in read ? [] : clearKeys(file, read.text ?? '');
    }),
  );
  const inFolder = folder === dirname(config) ? [] : await lostFiles(`${folder}/.triad`, true);
  const lost = [...(await lostFiles(config, false)), ...inFolder];
  const findings = [...own.findings, ...project.findings, ...ofAgents, ...referring, ...clear.flat(), ...lost];
  // A mistake is told with what stands there.
  const told = findings.map((one) => ({ ...redacted(one), file: one.file }));
  return { findings: told.toSorted(inOrder), files };
}

function ownFilesOf(reports: Awaited<ReturnType<typeof agentReports>>): string[] {
  return reports.filter(({ source }) => source !== 'builtin').map(({ file }) => file);
}

/** Only where the settings can be read: what they name could not be told otherwise. */
async function referencesOf(
  { env }: Io,
  { config, data, own, names }: { config: string; data: string; own: OwnFiles; names: string[] },
): Promise<Finding[]> {
  const { settings, text } = own;
  if (settings === null) return [];
  const lists = await ModelLists.load(data);
  const models = new ModelRules({
    settings,
    lists,
    environment: { baseUrl: env['ANTHROPIC_BASE_URL'] || undefined, programs: env },
  });
  const secrets = fileSecrets(config);
  const file = settingsFile(config);
  const isKept = (name: string) =>
    secrets.get(name).then(
      (value) => value !== null,
      // Where it cannot be read, that is told, and not what would be in it.
      () => true,
    );
  const tools = allTools().map(({ name }) => name);
  const parts = { file, text, settings, env };
  const keys = await checkProviderKeys({ ...parts, config, lists }).catch(() => []);
  return [...keys, ...(await checkReferences({ ...parts, models, isKept, agents: names, tools }))];
}

function inOrder(a: Finding, b: Finding): number {
  return a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column;
}

/** On one line, of which nothing controls the terminal. */
export function findingLine({ file, line, column, level, what, todo }: Finding): string {
  const words = `${file}:${line}:${column}: ${level === 'warning' ? 'warning: ' : ''}${what}; to do: ${todo}`;
  return oneLine(visible(words));
}

function summaryOf(files: number, errors: number, warnings: number): string {
  const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
  const all = `${counted(files, 'file')} checked`;
  if (errors + warnings === 0) return `${all}: valid.`;
  return `${all}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`;
}
