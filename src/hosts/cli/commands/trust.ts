/** `triad trust`: shows what a workspace brings and what changed in it, and asks whether that may have an effect. */
import { resolve } from 'node:path';
import type { TrustItem, TrustLook } from '#contract/trust.ts';
import { diffText } from '../render/diff-text.ts';
import { oneLine } from '../render/format.ts';
import { needsTrust } from '../render/trust-state.ts';
import { EXIT, UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type Link, openLink } from '../follow/link.ts';
import { visible } from '../terminal/visible.ts';

export interface TrustOptions {
  list?: boolean;
  revoke?: boolean;
  yes?: boolean;
  json?: boolean;
}

export async function trust(io: Io, dir: string | undefined, options: TrustOptions): Promise<number> {
  const { list, revoke, yes } = options;
  if ([list, revoke, yes].filter(Boolean).length > 1)
    throw new UsageError('--list, --revoke and --yes are three different things: give one of them');
  if (list && dir !== undefined) throw new UsageError('--list shows all trusted folders: leave out the folder');
  const folder = resolve(io.folder, dir ?? '.');
  const link = await openLink(io, false);
  try {
    if (list) return await listTrusted(io, link, options);
    if (revoke) return await revokeTrust(io, link, folder);
    return await decide(io, link, folder, options);
  } finally {
    await link.close();
  }
}

async function decide(io: Io, link: Link, folder: string, { yes, json }: TrustOptions): Promise<number> {
  const { screen } = io;
  const texts = !yes && !json;
  const look = await link.ask((client) => client.request('trust.look', { folder, texts }));
  const open = look.files.filter(needsTrust);
  const isSettled = look.files.every(({ state }) => state === 'same');
  if (!json) for (const file of look.files) screen.data(`${lineOf(file)}\n${texts ? wholeOf(file) : ''}`);
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

/** Exactly what was shown. */
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

async function listTrusted({ screen }: Io, link: Link, { json }: TrustOptions): Promise<number> {
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

/** What the person decides by: the text of a new file, what changed in another; nothing of one that is trusted. */
function wholeOf({ state, text = '', diff }: TrustItem): string {
  const whole = diff === undefined ? visible(text).trimEnd() : diffText(diff).join('\n');
  return state === 'same' || whole === '' ? '' : `${whole.replaceAll(/^/gm, '  │ ')}\n`;
}
