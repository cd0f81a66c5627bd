/** The grants that are in force: given with an answer, counted with each call that uses one, revoked by the person; every change is an event. */
import { type Grant, type GrantOffer, type GrantRequest, MAX_PATTERN_CHARS, Pattern } from '#contract/permission.ts';
import { mustExist, TriadError } from '../base/errors.ts';
import type { EventLog } from '#core/store/log/event-log.ts';
import { newId } from '../base/ids.ts';
import type { Payload, RunIds } from '#core/store/log/recorder.ts';
import type { Store } from '../store/store.ts';
import type { Targets } from '../tools/targets.ts';
import type { GrantSigner } from './grant-signer.ts';
import { type Action, grantMatches, isGrantLive } from './judge.ts';
import { patternFault } from '../base/pattern.ts';

const MINUTE_MS = 60_000;

/** The question that a grant comes from. */
export interface GrantSource {
  offer: GrantOffer | undefined;
  targets: Targets;
  /** For a tool of an MCP server: what that is started with, as a hash. */
  server?: string | undefined;
  folder: string;
  ids: RunIds;
  approvalId: string;
}

type Record = (payload: Payload) => Promise<unknown>;

/** The fields that a call and a grant must have in common. */
type About = Pick<Action, 'scope' | 'tool' | 'folder' | 'conversationId' | 'workflowId'>;

export class Grants {
  readonly #store: Store;
  readonly #log: EventLog;
  readonly #signer: GrantSigner | null;
  #unsignedCount = 0;
  /** By id; grants that have ended are only in the store. */
  readonly #live = new Map<string, Grant>();
  /** Ids by `keyOf`, so that a call looks only at the grants that could be about it. */
  readonly #about = new Map<string, Set<string>>();

  /** `signer`: for a shared store, which others can write; null for a store of this machine. */
  constructor(store: Store, log: EventLog, signer: GrantSigner | null) {
    this.#store = store;
    this.#log = log;
    this.#signer = signer;
  }

  /** Reads the store. Call before the first question. */
  async load(): Promise<void> {
    const now = Date.now();
    const liveGrants = (await this.#store.grants()).filter((grant) => isGrantLive(grant, now));
    const signedGrants = liveGrants.filter((grant) => this.#signer?.isSigned(grant) ?? true);
    for (const grant of signedGrants) this.#keep(grant);
    this.#unsignedCount = liveGrants.length - signedGrants.length;
  }

  /** Number of ignored grants in the store: those that this installation has not signed. */
  get unsignedCount(): number {
    return this.#unsignedCount;
  }

  /** The grants in force, oldest first. */
  live(now: number): Grant[] {
    return this.#inForce([...this.#live.keys()], now);
  }

  /** The grants in force that could answer such a call; their patterns are not compared here. */
  candidates(action: About, now: number): Grant[] {
    if (this.#about.size === 0) return [];
    const { scope, tool, folder, conversationId, workflowId } = action;
    const places = new Set([null, conversationId, workflowId]);
    const ids = [...places].flatMap((place) => [...(this.#about.get(keyOf(scope, tool, folder, place)) ?? [])]);
    return this.#inForce(ids, now);
  }

  /** Makes the grant that the person wishes. Throws `bad_input` where the question does not offer it, or its pattern does not fit. */
  newGrant(wish: GrantRequest, { offer, targets, server, folder, ids, approvalId }: GrantSource): Grant {
    if (!offer?.scopes.includes(wish.scope))
      throw new TriadError('bad_input', 'This question can be allowed once only');
    const fault = grantFault(wish.pattern, targets);
    if (fault !== null) throw new TriadError('bad_input', `The pattern ${fault}`);
    const now = Date.now();
    const { agent: askedBy, ...place } = ids;
    return this.#sign({
      id: newId(),
      agent: offer.agent,
      tool: offer.tool,
      ...(server === undefined ? {} : { server }),
      pattern: wish.pattern,
      folder,
      scope: wish.scope,
      ...place,
      askedBy,
      approvalId,
      givenAt: new Date(now).toISOString(),
      expiresAt: wish.minutes === undefined ? null : new Date(now + wish.minutes * MINUTE_MS).toISOString(),
      maxCalls: wish.calls ?? null,
      calls: 0,
      revokedAt: null,
    });
  }

  give(grant: Grant, record: Record): void {
    this.#keep(grant);
    void record({ type: 'grant-change', change: 'given', grant });
  }

  /** Counts a call, synchronously, so that no two calls share the last one. Throws `internal` for a grant that is not in force. */
  use(id: string, record: Record): void {
    const before = this.#live.get(id);
    if (!before) throw new TriadError('internal', `There is no grant ${id}`);
    const grant = this.#sign({ ...before, calls: before.calls + 1 });
    this.#keep(grant);
    void record({ type: 'grant-change', change: 'used', grant });
  }

  /** Ends a grant, as an event of the conversation where it was given if that still exists. Throws `not_found`, or `conflict` where it has ended already. */
  async revoke(id: string): Promise<Grant> {
    const before = this.#live.get(id);
    if (!before) {
      await mustExist(this.#store.grant(id), `There is no grant ${id}`);
      throw new TriadError('conflict', 'This grant has ended already');
    }
    const at = new Date().toISOString();
    const grant = this.#sign({ ...before, revokedAt: at });
    this.#drop(before);
    const { conversationId, workflowId, runId, parentRunId, askedBy: agent } = grant;
    await this.#log.open(conversationId);
    await this.#log.knowRun(runId);
    // Between two commits, as a conversation is purged: no event comes after its last one.
    const { stored } = await this.#log.exclusive(conversationId, async () => {
      const isKept = (await this.#store.conversation(conversationId)) !== null;
      const ids = { conversationId, workflowId, runId, parentRunId, agent };
      return {
        stored: isKept
          ? this.#log.append({ type: 'grant-change', change: 'revoked', grant, at, ...ids })
          : this.#log.save([{ table: 'permission_grant', key: id, row: grant }]),
      };
    });
    await stored;
    return grant;
  }

  #sign(grant: Grant): Grant {
    return this.#signer?.sign(grant) ?? grant;
  }

  #keep(grant: Grant): void {
    this.#live.set(grant.id, grant);
    const key = keyOfGrant(grant);
    this.#about.set(key, (this.#about.get(key) ?? new Set()).add(grant.id));
  }

  #drop(grant: Grant): void {
    this.#live.delete(grant.id);
    const key = keyOfGrant(grant);
    const others = this.#about.get(key);
    others?.delete(grant.id);
    if (others?.size === 0) this.#about.delete(key);
  }

  /** Those that are live; drops the expired ones among them. */
  #inForce(ids: readonly string[], now: number): Grant[] {
    const found = ids.flatMap((id) => this.#live.get(id) ?? []);
    const live = found.filter((grant) => isGrantLive(grant, now));
    for (const grant of found) if (!live.includes(grant)) this.#drop(grant);
    return live;
  }
}

/** Why a grant cannot have this pattern, as the end of a sentence; null where it can. */
export function grantFault(pattern: string, targets: Targets): string | null {
  if (!Pattern.safeParse(pattern).success) return `must have between 1 and ${MAX_PATTERN_CHARS} characters`;
  const fault = targets?.path ? patternFault(pattern) : null;
  return fault ?? (grantMatches(pattern, targets) ? null : 'must match what this question is about');
}

/** The key has conversation or workflow too, because the number of their grants only grows. */
function keyOfGrant({ agent, tool, folder, scope, conversationId, workflowId }: Grant): string {
  const place = { project: null, conversation: conversationId, workflow: workflowId }[scope];
  return keyOf(agent, tool, folder, place);
}

function keyOf(...about: [scope: string, tool: string, folder: string, place: string | null]): string {
  return JSON.stringify(about);
}
