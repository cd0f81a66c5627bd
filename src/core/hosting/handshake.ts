/** What a process says when it asks an owner for a connection, and why it may be sent away. */
import { z } from 'zod';
import { TriadError } from '../base/errors.ts';
import type { Instance } from './ping-server.ts';

/** The first frame. Unknown fields are of a newer version, which is told apart by its number. */
export const Hello = z.object({
  version: z.string().max(100),
  /** The folder of its new conversations. */
  folder: z.string().min(1).max(4096),
  /** What its environment says; null where it says nothing, or does not matter because no work is wanted. */
  baseUrl: z.string().max(4096).nullable(),
  storeUrl: z.string().max(4096).nullable(),
});
export type Hello = z.infer<typeof Hello>;

/** What the owner works with. */
export interface OwnerFacts {
  version: string;
  /** Null: the provider's own. */
  baseUrl: string | null;
  storeUrl: string | null;
}

/** Null when the process may connect. */
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

/** An owner that does not even know the way to connect. */
export function strangeOwner({ pid }: Instance): TriadError {
  return conflict(
    `Another version of Triad is running with this data folder (pid ${pid}): stop it, or set TRIAD_HOME to another folder.`,
  );
}

const conflict = (message: string) => new TriadError('conflict', message);
/** Versions that differ only in their last number understand each other. */
const protocolOf = (version: string) => version.split('.').slice(0, 2).join('.');
const withoutSlash = (url: string) => url.replace(/\/+$/, '');
