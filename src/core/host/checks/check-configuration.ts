/**
 * Checks every file that says what the program does, and what these files name of each other. Reads the files itself,
 * because one of the person's that does not fit keeps the program from starting; never touches the network.
 */
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AgentReport } from '#contract/agent.ts';
import { parseRules } from '#core/approvals/rule-files.ts';
import { TriadError } from '#core/base/errors.ts';
import { redacted } from '#core/base/redact.ts';
import { ModelLists } from '#core/model/model-lists.ts';
import { ModelRules } from '#core/model/model-rules.ts';
import { type Folders, folders } from '#core/settings/folders.ts';
import { settingsFile } from '#core/settings/guarded-files.ts';
import { registerOwnSecrets } from '#core/settings/own-secrets.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import { tryRead } from '#core/settings/toml-file.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { checkAgentFiles, type CheckScope } from './agent-files.ts';
import { clearKeys } from './clear-keys.ts';
import { faultFinding, type Finding } from './finding.ts';
import { lostFiles } from './lost-files.ts';
import { checkOwnFiles, type OwnFiles } from './own-files.ts';
import { checkProjectFiles } from './project-files.ts';
import { checkProviderKeys } from './provider-keys.ts';
import { checkReferences, checkRules } from './references.ts';

export interface Checked {
  /** Errors and warnings by file and line. */
  findings: Finding[];
  /** Files that were read. */
  files: string[];
  /** All agents and compositions in the scope, also those without a finding. */
  agents: AgentReport[];
  /** The settings file, whether it is there or not. */
  settingsFile: string;
}

/** Throws `not_found` without such a folder. */
export async function checkConfiguration(scope: CheckScope): Promise<Checked> {
  const { env } = scope;
  const isFolder = (await stat(scope.folder).catch(() => null))?.isDirectory();
  if (!isFolder) throw new TriadError('not_found', `There is no folder ${scope.folder}`);
  const found = await folders(env);
  const { config, data } = found;
  await registerOwnSecrets(config, env);
  const folder = await realpath(scope.folder);
  const own = await checkOwnFiles(config);
  const project = await checkProjectFiles({ folder, data, limits: own.settings?.limits ?? null });
  const known = own.settings && (await withModels(own.settings, scope, data));
  const agents = await checkAgentFiles(scope, found, known);
  const ofAgents = agents.flatMap(({ file, source, errors, warnings }) => [
    ...errors.map((one) => faultFinding(file, one, 'error')),
    // The person cannot mend the built-in agents.
    ...(source === 'builtin' ? [] : warnings).map((one) => faultFinding(file, one, 'warning')),
  ]);
  const referring = known === null ? [] : await checkNames(scope, found, { ...known, text: own.text });
  const file = settingsFile(config);
  const ownRules = { file, text: own.text, rules: parseRules(own.text, file, 'user').rules };
  const names = {
    agents: agents.flatMap(({ name }) => (name === null ? [] : [name])),
    tools: allTools().map(({ name }) => name),
  };
  referring.push(...[ownRules, project.rules].flatMap((of) => checkRules(of, names)));
  const files = [
    ...own.files,
    ...project.texts.keys(),
    ...agents.filter(({ source }) => source !== 'builtin').map(({ file }) => file),
  ];
  const clear = await Promise.all(
    files.map(async (file) => {
      const read = await tryRead(file);
      return 'fault' in read ? [] : clearKeys(file, read.text ?? '');
    }),
  );
  const inFolder = folder === dirname(config) ? [] : await lostFiles(`${folder}/.triad`, true);
  const lost = [...(await lostFiles(config, false)), ...inFolder];
  const findings = [...own.findings, ...project.findings, ...ofAgents, ...referring, ...clear.flat(), ...lost];
  // A finding quotes the text of a file, which may contain a secret.
  const told = findings.map((one) => ({ ...redacted(one), file: one.file }));
  return { findings: told.toSorted(inOrder), files, agents: redacted(agents), settingsFile: file };
}

type Known = { settings: NonNullable<OwnFiles['settings']>; models: ModelRules; lists: ModelLists };

async function withModels(settings: Known['settings'], { env }: CheckScope, data: string): Promise<Known> {
  const lists = await ModelLists.load(data);
  const environment = { baseUrl: env['ANTHROPIC_BASE_URL'] || undefined, programs: env };
  return { settings, lists, models: new ModelRules({ settings, lists, environment }) };
}

async function checkNames(
  { env }: CheckScope,
  { config }: Folders,
  { settings, models, lists, text }: Known & { text: string },
): Promise<Finding[]> {
  const secrets = fileSecrets(config);
  const isKept = (name: string) =>
    secrets.get(name).then(
      (value) => value !== null,
      // An unreadable key store has a finding of its own.
      () => true,
    );
  const parts = { file: settingsFile(config), text, settings, env };
  const keys = await checkProviderKeys({ ...parts, config, lists }).catch(() => []);
  return [...keys, ...(await checkReferences({ ...parts, models, isKept }))];
}

function inOrder(a: Finding, b: Finding): number {
  return a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column;
}
