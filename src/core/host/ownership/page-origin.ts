/** The address of the page in browsers: a random host name, or a port, that is stored beside the keys of browsers. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '#core/base/atomic-file.ts';
import { codeOf } from '#core/base/errors.ts';
import { refuseWriteFault } from '#core/base/write-refusals.ts';

/** Longest wait for the system's resolver, in milliseconds. */
const RESOLVER_MS = 2000;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);

const PageOrigin = z.object({
  /** First label of the host name below `localhost`. */
  label: z.string().regex(/^[0-9a-f]{20}$/),
  /** Port of the page at `127.0.0.1`; null before its first use. */
  port: z.int().min(1).max(65_535).nullable(),
});
export type PageOrigin = z.infer<typeof PageOrigin>;

/** Returns a label that no other program can guess: 80 random bits. */
export function createLabel(): string {
  return randomBytes(10).toString('hex');
}

/** Returns the stored origin, or stores a new one. Rejects with `not_allowed` if other users may write the file. */
export async function loadPageOrigin(dataFolder: string): Promise<PageOrigin> {
  const file = originFile(dataFolder);
  await refuseWriteFault(file);
  const parsedOrigin = PageOrigin.safeParse(await readJson(file));
  if (parsedOrigin.success) return parsedOrigin.data;
  const origin = { label: createLabel(), port: null };
  await storePageOrigin(dataFolder, origin);
  return origin;
}

export async function storePageOrigin(dataFolder: string, origin: PageOrigin): Promise<void> {
  const file = originFile(dataFolder);
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  await writeAtomically(file, `${JSON.stringify(origin)}\n`, { mode: 0o600 });
}

/**
 * Returns true if the system resolves names below `localhost` to loopback addresses only. The name has as many labels as
 * that of the sign-in page. The labels are random, because the query may leave this machine.
 */
export async function resolvesLocalNames(): Promise<boolean> {
  const { lookup } = process.getBuiltinModule('node:dns/promises');
  const timeout = new Promise<never[]>((resolve) => setTimeout(resolve, RESOLVER_MS, []).unref());
  const answer = lookup(`${createLabel()}.${createLabel()}.localhost`, { all: true }).catch(() => []);
  const addresses = await Promise.race([answer, timeout]);
  return addresses.length > 0 && addresses.every(({ address }) => LOOPBACK.has(address));
}

function originFile(dataFolder: string): string {
  return join(dataFolder, 'browsers', 'origin.json');
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
