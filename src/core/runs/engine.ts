/** What every run of the program shares: made once at the composition root and handed down. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import type { Capabilities } from '#contract/providers/provider.ts';
import type { AgentFolders } from '../agents/agent-folders.ts';
import type { AgentWatch } from '../agents/watch.ts';
import type { ApprovalGate } from '../approvals/gate.ts';
import type { Permissions } from '../approvals/permissions.ts';
import type { EarlierLeads } from '#core/store/log/earlier-leads.ts';
import type { Envelopes } from './envelopes/envelopes.ts';
import type { HybridSearch } from './hybrid-search.ts';
import type { McpServers } from '../mcp/mcp-servers.ts';
import type { EventLog } from '#core/store/log/event-log.ts';
import type { Model, ModelUsage } from '../model/model.ts';
import type { OpenMessages } from '#core/store/log/open-messages.ts';
import type { ProviderRequests } from '../model/provider-requests.ts';
import type { OwnFolders } from '../settings/folders.ts';
import type { Settings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import type { Outputs } from '../workspace/outputs.ts';
import type { Lenders } from '../workspace/lent/lenders.ts';
import type { ShellHost } from '../workspace/shell/run-shell.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import type { SearchEndpoint } from '../tools/web/search-endpoint.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { Trust } from '../agents/trust.ts';

export interface Engine {
  readonly store: Store;
  readonly log: EventLog;
  readonly open: OpenMessages;
  readonly earlierLeads: EarlierLeads;
  readonly gate: ApprovalGate;
  readonly permissions: Permissions;
  /** The agents of each folder; a workflow reads them once, when it starts. */
  readonly agents: AgentFolders;
  readonly trust: Trust;
  /** Tells who looks at agents that something about them has changed. */
  readonly watch: AgentWatch;
  readonly tools: ToolRegistry;
  /** The MCP servers; those of a run are in its envelope. */
  readonly mcp: McpServers;
  readonly own: OwnFolders;
  /** What calls changed on disk, and can be undone, and who may change it now. */
  readonly workspaces: Workspaces;
  /** Ranks notes and reports by their meaning too; null where nothing embeds texts. */
  readonly hybrid: () => Promise<HybridSearch | null>;
  /** Long outputs of calls. */
  readonly outputs: Outputs;
  /** Who lends files and terminals to which conversation. */
  readonly lenders: Lenders;
  /** Where commands are run. */
  readonly shell: ShellHost;
  readonly envelopes: Envelopes;
  /** The search of the web that the person has configured. */
  readonly webSearch: SearchEndpoint;
  /** As they are now: read where they are used. */
  readonly settings: Settings;
  /** Of the provider that an envelope names, or else of the active one; throws `no_key` where none is set up. */
  model(provider?: string, conversationId?: string): Promise<Model>;
  /** Requests the list of models of a provider before a name is resolved there. Never rejects. */
  knowModels(provider: string): Promise<void>;
  /** A warning about a model that its endpoint does not list; else null. */
  modelWarning(provider: string, model: string): Phrase | null;
  /** What a model can do at a provider. */
  capabilities(provider: string, model: string): Capabilities;
  readonly price: (model: string, usage: ModelUsage) => { nanoUsd: number | null; priceVersion: string | null };
  /** Where the person lists prices that the program does not know. */
  readonly pricesFile: string;
  /** Returns whether spans are sent to a collector now. */
  readonly isTraced: () => boolean;
  /** The limits and retries of requests, by provider. */
  readonly requests: ProviderRequests;
}
