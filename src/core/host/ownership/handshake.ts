/** The handshake of a process with the owner, and the reasons for a refusal. */
import { z } from 'zod';
import { TriadError } from '#core/base/errors.ts';
import type { Instance } from './ping-server.ts';

/** The first frame. Unknown fields are ignored: versions are compared by number. */
export const Hello = z.object({
  version: z.string().max(100),
  /** Default folder for its new conversations. */
  folder: z.string().min(1).max(4096),
  /** Endpoint and store of its environment; null if not set, or if it wants no work done. */
  baseUrl: z.string().max(4096).nullable(),
  storeUrl: z.string().max(4096).nullable(),
});
export type Hello = z.infer<typeof Hello>;

/** The owner's configuration. */
export interface OwnerFacts {
  version: string;
  /** Null: the provider's default. */
  baseUrl: string | null;
  storeUrl: string | null;
}

/** The `conflict` error for a process that may not connect; null if it may. */
export function refusalOf(hello: Hello, owner: OwnerFacts): TriadError | null {
  const running = `The Triad that is running (pid ${process.pid})`;
  const or = 'stop it, or set TRIAD_HOME to another folder.';
  if (protocolOf(hello.version) !== protocolOf(owner.version)) {
    return conflict(`${running} is version ${owner.version}, this one is ${hello.version}: ${or}`);
  }
  if (hello.storeUrl !== owner.storeUrl) {
    const [its, ours] = [owner.storeUrl ?? 'the store in its data folder', hello.storeUrl ?? 'not set'];
    return conflict(`${running} uses ${its}, but TRIAD_STORE is ${ours}: set it alike, ${or}`);
  }
  const its = owner.baseUrl ?? 'https://api.anthropic.com';
  if (hello.baseUrl !== null && withoutSlash(hello.baseUrl) !== withoutSlash(its)) {
    return conflict(`${running} uses the endpoint ${its}, but ANTHROPIC_BASE_URL is ${hello.baseUrl}: unset it, ${or}`);
  }
  return null;
}

/** The error for an owner of a version without this endpoint. */
export function strangeOwner({ pid }: Instance): TriadError {
  return conflict(
    `Another version of Triad is running with this data folder (pid ${pid}): stop it, or set TRIAD_HOME to another folder.`,
  );
}

const conflict = (message: string) => new TriadError('conflict', message);
/** Versions with the same major and minor number are compatible. */
const protocolOf = (version: string) => version.split('.').slice(0, 2).join('.');
const withoutSlash = (url: string) => url.replace(/\/+$/, '');
