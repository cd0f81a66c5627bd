/** `triad trust`: shows new and changed files of a workspace that need trust, and asks whether to trust them. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { TrustItem, TrustLook } from '#contract/trust.ts';
import { type Link, withLink } from '../follow/link.ts';
import { EXIT, UsageError } from '../terminal/failure.ts';
import type { Exit, Io } from '../terminal/io.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import { json } from './parameters.ts';

interface Options {
  list?: boolean;
  revoke?: boolean;
  yes?: boolean;
  json?: boolean;
}

export function addTrust(program: Command, io: Io, exit: Exit): void {
  program
    .command('trust')
    .description(
      'show the files of a folder that need your trust and are new or changed, and ask whether to trust them',
    )
    .argument('[dir]', 'folder (default: the current folder)')
    .option('--list', 'list the folders with trusted files')
    .option('--revoke', 'trust no file of the folder any more')
    .option('--yes', 'trust the files as they are, without a question')
    .addOption(json())
    .action(async (dir: string | undefined, options: Options) => exit(await trust(io, dir, options)));
}

async function trust(io: Io, dir: string | undefined, options: Options): Promise<number> {
  const { list, revoke, yes } = options;
  if ([list, revoke, yes].filter(Boolean).length > 1)
    throw new UsageError('--list, --revoke and --yes are three different things: give one of them');
  if (list && dir !== undefined) throw new UsageError('--list shows all trusted folders: leave out the folder');
  const folder = resolve(io.folder, dir ?? '.');
  return withLink(io, (link) => {
    if (list) return listTrusted(io, link, options);
    return revoke ? revokeTrust(io, link, folder) : decide(io, link, folder, options);
  });
}

async function decide(io: Io, link: Link, folder: string, { yes, json }: Options): Promise<number> {
  const { needsTrust } = await import('../render/trust-state.ts');
  const { screen } = io;
  const texts = !yes && !json;
  const look = await link.ask((client) => client.request('trust.look', { folder, texts }));
  const open = look.files.filter(needsTrust);
  const isSettled = look.files.every(({ state }) => state === 'same');
  if (!json) for (const file of look.files) screen.data(`${lineOf(file)}\n${texts ? await formatContent(file) : ''}`);
  if (isSettled || yes) {
    const now = isSettled ? look : await agree(link, look);
    if (json) screen.data(`${JSON.stringify(now, null, 2)}\n`);
    screen.note(isSettled ? settled(look) : `Trusted as they are now: ${counted(trustable(look).length)}.`);
    return EXIT.ok;
  }
  if (json) {
    screen.data(`${JSON.stringify(look, null, 2)}\n`);
    return EXIT.ok;
  }
  const terminal = await io.openTerminal();
  if (terminal === null)
    throw new UsageError('triad trust asks on a terminal, and there is none: look, then use --yes');
  try {
    await screen.flush();
    await terminal.discardTyped(io.signal);
    const what = open.length > 0 ? `Trust ${counted(open.length)} as shown` : 'Forget what is gone';
    const answer = (await terminal.ask(`${what}? [y/N] `, io.signal))?.trim().toLowerCase();
    if (answer !== 'y' && answer !== 'yes') {
      screen.note('Nothing was changed.');
      return EXIT.failure;
    }
  } finally {
    terminal.close();
  }
  await agree(link, look);
  screen.note(`Trusted as they are now: ${counted(trustable(look).length)}.`);
  return EXIT.ok;
}

/** Trusts exactly the files that were shown. */
function agree(link: Link, { folder, files }: TrustLook): Promise<TrustLook> {
  const shown = trustable({ folder, files });
  return link.ask((client) => client.request('trust.set', { folder, files: shown }));
}

function trustable({ files }: TrustLook): { path: string; hash: string }[] {
  return files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
}

async function revokeTrust({ screen }: Io, link: Link, folder: string): Promise<number> {
  const { revoked } = await link.ask((client) => client.request('trust.revoke', { folder }));
  screen.note(revoked ? `Nothing in ${folder} is trusted any more.` : `Nothing in ${folder} was trusted.`);
  return EXIT.ok;
}

async function listTrusted({ screen }: Io, link: Link, { json }: Options): Promise<number> {
  const all = await link.ask((client) => client.request('trust.list', {}));
  if (json) screen.data(`${JSON.stringify(all, null, 2)}\n`);
  else if (all.length === 0) screen.note('No folder is trusted.');
  else for (const { folder, files } of all) screen.data(`${visible(folder)}  ${counted(files.length)}\n`);
  return EXIT.ok;
}

const counted = (count: number) => (count === 1 ? '1 file' : `${count} files`);
const settled = ({ files }: TrustLook) =>
  files.length === 0 ? 'Nothing here needs trust.' : 'Nothing has changed since you trusted it.';
const lineOf = ({ state, path, says }: TrustItem) =>
  `${(state === 'same' ? 'trusted' : state).padEnd(7)}  ${oneLine(visible(path))}  ${oneLine(visible(says))}`;

/** Returns the text of a new file, or the diff of a changed one; empty for a trusted file. */
async function formatContent({ state, text = '', diff }: TrustItem): Promise<string> {
  const { diffText } = await import('../render/diff-text.ts');
  const whole = diff === undefined ? visible(text).trimEnd() : diffText(diff).join('\n');
  return state === 'same' || whole === '' ? '' : `${whole.replaceAll(/^/gm, '  │ ')}\n`;
}
