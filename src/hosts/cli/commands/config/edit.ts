/** `triad config edit`: opens a file in the person's editor, and checks it afterwards. A new file has every key as a comment. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { PathRoot } from '#core/agents/paths/key-words.ts';
import { builtinPlaces, PROJECT_CONFIG, projectPlaces, userPlaces } from '#core/agents/places.ts';
import { codeOf } from '#core/base/errors.ts';
import { nearest } from '#core/base/nearest.ts';
import { partsOf } from '#core/settings/dotted-path.ts';
import { folders } from '#core/settings/folders.ts';
import { EXIT, UsageError } from '../../terminal/failure.ts';
import type { Exit, Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { findingLine } from '../check.ts';

export function addConfigEdit(config: Command, io: Io, exit: Exit): void {
  config
    .command('edit')
    .description('open a settings file in your editor ($VISUAL or $EDITOR), and check it afterwards')
    .argument('[what]', 'agents.NAME, compositions.NAME, project or prices (default: your settings)')
    .action(async (what: string | undefined) => exit(await editConfig(io, what)));
}

interface Editable {
  file: string;
  /** Content of a new file; null if the file exists. */
  template: string | null;
  /** When the change takes effect. */
  holds: string;
}

/** Resolves with exit code 1 if the file has mistakes. The file keeps them. */
async function editConfig(io: Io, what: string | undefined): Promise<number> {
  const { screen, signal } = io;
  const { file, template, holds } = await findEditable(io, what);
  const terminal = await io.openTerminal();
  try {
    if (terminal === null)
      throw new UsageError(`Nobody sits at a terminal here: change ${file}, then run "triad config validate"`);
    if (terminal.editFile === null)
      throw new UsageError(`Set EDITOR to your editor, such as EDITOR=nano; the file is ${file}`);
    const isNew = template !== null && (await createFile(file, template));
    const before = await readFile(file);
    const isFine = await terminal.editFile(file, signal);
    const after = await readFile(file).catch(() => null);
    if (after !== null && before.equals(after)) {
      if (isNew) await rm(file);
      screen.note(isFine ? 'Nothing was changed.' : 'The editor failed, and nothing was changed.');
      return isFine ? EXIT.ok : EXIT.failure;
    }
    return await report(io, file, holds);
  } finally {
    terminal?.close();
  }
}

async function report(io: Io, file: string, holds: string): Promise<number> {
  const { checkConfiguration } = await import('#core/host/checks/check-configuration.ts');
  const findings = (await checkConfiguration(io)).findings.filter((one) => one.file === file);
  for (const finding of findings) io.screen.data(`${findingLine(finding)}\n`);
  const isWrong = findings.some(({ level }) => level === 'error');
  io.screen.note(
    isWrong
      ? `${visible(file)} is kept as you typed it, and has mistakes: "triad config edit" goes on from there.`
      : `${visible(file)} is saved. ${holds}`,
  );
  return isWrong ? EXIT.failure : EXIT.ok;
}

/** Creates the file. Returns false if it exists. */
async function createFile(file: string, text: string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function findEditable(io: Io, what: string | undefined): Promise<Editable> {
  const { pricesFile, settingsFile } = await import('#core/settings/guarded-files.ts');
  const { checkSettings, settingLists, settingRows } = await import('#core/settings/settings.ts');
  const { PRICES_TEMPLATE, projectTemplate, settingsTemplate } = await import('#core/settings/settings-template.ts');
  const { config } = await folders(io.env);
  const holds = 'It holds from the next start; what runs keeps what it has.';
  const defaults = checkSettings('');
  const rows = defaults.ok ? settingRows(defaults.value) : [];
  if (what === undefined)
    return { file: settingsFile(config), template: settingsTemplate(rows, settingLists()), holds };
  if (what === 'prices') return { file: pricesFile(config), template: PRICES_TEMPLATE, holds };
  if (what === 'project') {
    const trust = 'It counts for those who trust it, you too: "triad trust".';
    return { file: join(io.folder, PROJECT_CONFIG), template: projectTemplate(rows), holds: trust };
  }
  const [root, name, ...rest] = partsOf(what) ?? [];
  if ((root === 'agents' || root === 'compositions') && name !== undefined && rest.length === 0)
    return findAgentFile(io, config, root, name);
  throw new UsageError(
    `"${what}" is no file of settings: agents.NAME, compositions.NAME, project or prices; your settings without a word`,
  );
}

async function findAgentFile(io: Io, config: string, root: PathRoot, name: string): Promise<Editable> {
  const { loadPlace, nameOf } = await import('#core/agents/load.ts');
  const { allTools } = await import('#core/tools/all-tools.ts');
  const home = io.env['HOME'] || homedir();
  const places = [...builtinPlaces(), ...userPlaces(config, home), ...projectPlaces(io.folder)];
  const own = places.filter((place) => (place.compositions ?? false) === (root === 'compositions'));
  const tools = allTools();
  const found = await Promise.all(
    own.map(async (place) => (await loadPlace(place, tools)).map((file) => ({ place, file, name: nameOf(file) }))),
  );
  const all = found.flat();
  const one = all.findLast((each) => each.name === name);
  if (!one) {
    const { pathOf } = await import('#core/agents/paths/key-rows.ts');
    const near = nearest(
      name,
      all.flatMap((each) => each.name ?? []),
    );
    const hint = near === null ? '' : ` (did you mean ${pathOf(root, near)}?)`;
    throw new UsageError(`There is no ${root.slice(0, -1)} "${name}"${hint}: "triad agents new" writes one`);
  }
  const { whyFixed } = await import('#core/agents/paths/how-to-change.ts');
  const { place, file } = one;
  const fixed = whyFixed({ root, name, file: file.path, place }, true);
  if (fixed !== null) throw new UsageError(fixed);
  const trust = place.source === 'project' ? ' Others who work here, and you, have to trust it: "triad trust".' : '';
  return { file: file.path, template: null, holds: `It holds for what starts from now on.${trust}` };
}
