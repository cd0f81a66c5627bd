/** Grants while the program runs: given with a yes, counted with each call that uses one, revoked by the person; all through the log. */
import type { Grant, GrantOffer, GrantWish } from '#contract/permission.ts';
import { TriadError } from '../errors.ts';
import type { EventLog } from '../event-log.ts';
import { newId } from '../ids.ts';
import type { Payload, RunIds } from '../recorder.ts';
import type { Store } from '../store/store.ts';
import { isAbout, isLive, type Targets } from './judge.ts';
import { patternFault } from './pattern.ts';

const MINUTE_MS = 60_000;

/** The question that a grant comes from. */
export interface GrantSource {
  offer: GrantOffer | undefined;
  targets: Targets;
  folder: string;
  ids: RunIds;
  approvalId: string;
}

type Record = (payload: Payload) => Promise<unknown>;

export class Grants {
  readonly #store: Store;
  readonly #log: EventLog;
  readonly #known = new Map<string, Grant>();

  constructor(store: Store, log: EventLog) {
    this.#store = store;
    this.#log = log;
  }

  /** Must have happened before the first question. */
  async load(): Promise<void> {
    for (const grant of await this.#store.grants()) this.#known.set(grant.id, grant);
  }

  /** Those that are in force, oldest first. */
  live(now: number): Grant[] {
    return [...this.#known.values()].filter((grant) => isLive(grant, now));
  }

  /** The grant that the person wishes; throws where the question does not offer it. */
  made(wish: GrantWish, { offer, targets, folder, ids, approvalId }: GrantSource): Grant {
    if (!offer?.scopes.includes(wish.scope))
      throw new TriadError('bad_input', 'This question can be allowed once only');
    const fault = targets?.path ? patternFault(wish.pattern) : null;
    if (fault !== null) throw new TriadError('bad_input', `The pattern ${fault}`);
    if (!isAbout(wish.pattern, targets, true))
      throw new TriadError('bad_input', 'The pattern must match what this question is about');
    const now = Date.now();
    const { agent: askedBy, ...place } = ids;
    return {
      id: newId(),
      ...{ agent: offer.agent, tool: offer.tool, pattern: wish.pattern, folder, scope: wish.scope },
      ...{ ...place, askedBy, approvalId, givenAt: new Date(now).toISOString() },
      expiresAt: wish.minutes === undefined ? null : new Date(now + wish.minutes * MINUTE_MS).toISOString(),
      ...{ maxCalls: wish.calls ?? null, calls: 0, revokedAt: null },
    };
  }

  give(grant: Grant, record: Record): void {
    this.#known.set(grant.id, grant);
    void record({ type: 'grant-change', change: 'given', grant });
  }

  /** Counts a call at once, so that no two calls share the last one. */
  use(id: string, record: Record): void {
    const before = this.#known.get(id);
    if (!before) throw new TriadError('internal', `There is no grant ${id}`);
    const grant = { ...before, calls: before.calls + 1 };
    this.#known.set(id, grant);
    void record({ type: 'grant-change', change: 'used', grant });
  }

  /** From now on it answers nothing; told in the conversation where it was given, while that is kept. */
  async revoke(id: string): Promise<Grant> {
    const before = this.#known.get(id);
    if (!before) throw new TriadError('not_found', `There is no grant ${id}`);
    if (before.revokedAt !== null) throw new TriadError('conflict', 'This grant is revoked already');
    const at = new Date().toISOString();
    const grant = { ...before, revokedAt: at };
    this.#known.set(id, grant);
    const { conversationId, workflowId, runId, parentRunId, askedBy: agent } = grant;
    await this.#log.open(conversationId);
    // Between two commits, as a conversation is purged: no event comes after its last one.
    const { stored } = await this.#log.exclusive(conversationId, async () => {
      const isKept = (await this.#store.conversation(conversationId)) !== null;
      const ids = { conversationId, workflowId, runId, parentRunId, agent };
      return {
        stored: isKept
          ? this.#log.append({ type: 'grant-change', change: 'revoked', grant, at, ...ids })
          : this.#log.save([{ kind: 'put', table: 'permission_grant', key: id, row: grant }]),
      };
    });
    await stored;
    return grant;
  }
}
