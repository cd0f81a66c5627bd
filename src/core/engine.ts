/** What every run of the program shares: made once at the composition root and handed down. */
import type { AgentRegistry } from './agents/registry.ts';
import type { ApprovalGate } from './approvals/gate.ts';
import type { Envelopes } from './envelopes.ts';
import type { EventLog } from './event-log.ts';
import type { Model, ModelUsage } from './model/model.ts';
import type { OpenMessages } from './open-messages.ts';
import type { Semaphore } from './semaphore.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store/store.ts';
import type { ToolRegistry } from './tools/registry.ts';

export interface Engine {
  readonly store: Store;
  readonly log: EventLog;
  readonly open: OpenMessages;
  readonly gate: ApprovalGate;
  readonly registry: AgentRegistry;
  readonly tools: ToolRegistry;
  readonly envelopes: Envelopes;
  readonly settings: Settings;
  /** The provider's model port; throws `no_key` where none is set up. */
  model(): Promise<Model>;
  readonly price: (
    model: string,
    usage: ModelUsage,
  ) => { nanoUsd: number | null; priceVersion: string | null };
  /** Concurrent requests per provider. */
  permits(provider: string): { limit: number; semaphore: Semaphore };
  readonly retryDelays: readonly number[];
}
