/** The MCP servers of one run: each counted once while the run lives, its calls held to what was approved. */
import type { McpOffer, McpTool } from '#contract/agent.ts';
import { TriadError } from '../base/errors.ts';
import { cutAtCodePoint } from '../base/text.ts';
import type { ToolContext, ToolResult } from '../tools/tool.ts';
import type { ToolLook } from './listings.ts';
import { lookIn, ownLook } from './look.ts';
import type { Agreed, Arguments, McpAccess } from './mcp-tool.ts';
import type { McpServers } from './mcp-servers.ts';
import type { McpUse } from './pool.ts';
import type { CallOptions } from './in-flight.ts';
import { elicit, limitQuestions, sample } from './server-asks.ts';
import { resourceText, toolResultOf } from './result.ts';

/** Of what a server says about how far a call is. */
const PROGRESS_CHARS = 500;

export class RunMcp implements McpAccess {
  readonly #servers: McpServers;
  readonly #folder: string;
  readonly #conversationId: string;
  readonly #signal: AbortSignal;
  readonly #uses = new Map<string, Promise<McpUse>>();

  /** `signal`: the run's. */
  constructor(
    servers: McpServers,
    { folder, conversationId }: { folder: string; conversationId: string },
    signal: AbortSignal,
  ) {
    this.#servers = servers;
    this.#folder = folder;
    this.#conversationId = conversationId;
    this.#signal = signal;
  }

  async look(offer: McpOffer, tool: McpTool): Promise<ToolLook> {
    const server = await this.#configured(offer, tool.tool);
    // Made here, from nothing that the server says; it starts with the call.
    if (tool.tool === null) return ownLook(tool);
    return lookIn(await this.#servers.hear((await this.#use(offer)).server, server, this.#signal), offer, tool.tool);
  }

  async call(
    offer: McpOffer,
    tool: McpTool,
    input: Arguments,
    agreed: Agreed | null,
    context: ToolContext,
  ): Promise<ToolResult> {
    const { hash, state } = await this.look(offer, tool);
    // It may have changed again since the person was shown it.
    if (state !== 'known' && hash !== agreed?.hash)
      throw new TriadError(
        'not_allowed',
        `${offer.server} has changed what it says of this tool: nothing was called. Call it again, and the person is asked`,
      );
    if (state !== 'known' && agreed?.byPerson && tool.tool !== null)
      await this.#servers.listings.accept(offer.config, [{ tool: tool.tool, hash }]);
    const { server: mcpServer } = await this.#use(offer);
    if (tool.tool === null) return resourceText(offer.server, mcpServer, input, context);
    const { server } = offer;
    const questionLimit = limitQuestions(server, context);
    const options: CallOptions = {
      signal: AbortSignal.any([context.signal, questionLimit.signal]),
      span: context.call.span,
      onProgress: ({ message, progress, total }) =>
        context.call.progress(
          cutAtCodePoint(message ?? `${progress}${total === undefined ? '' : ` of ${total}`}`, PROGRESS_CHARS),
          0,
        ),
      onElicit: (request, until) => elicit(server, request, questionLimit.context, until),
      ...(mcpServer.config.sampling
        ? { onSample: (request, until) => sample(server, request, questionLimit.context, until) }
        : {}),
    };
    const result = await mcpServer.call(tool.tool, input, options).catch((error: unknown) => {
      throw questionLimit.signal.aborted ? questionLimit.signal.reason : error;
    });
    return toolResultOf(offer.server, result, context);
  }

  /** Gives every server back. */
  async end(): Promise<void> {
    const uses = await Promise.allSettled(this.#uses.values());
    this.#uses.clear();
    for (const use of uses) if (use.status === 'fulfilled') use.value.release();
  }

  #use(offer: McpOffer): Promise<McpUse> {
    const known =
      this.#uses.get(offer.server) ??
      this.#configured(offer, null).then((server) => this.#servers.use(this.#folder, server));
    this.#uses.set(offer.server, known);
    // What could not be used once may be so later.
    known.catch(() => this.#uses.delete(offer.server));
    return known;
  }

  /** What was approved is what runs: as it is written now, or not at all. */
  async #configured({ server, config }: McpOffer, tool: string | null) {
    const found = await this.#servers.usable(this.#folder, server, this.#conversationId);
    if (tool !== null && !found.offers(tool))
      throw new TriadError('not_allowed', `The person has taken the tool "${tool}" of ${server} away from agents`);
    if (found.config === config) return found;
    throw new TriadError(
      'not_allowed',
      `What the MCP server ${server} is started with was changed since this agent was approved: this run cannot use it any more`,
    );
  }
}
