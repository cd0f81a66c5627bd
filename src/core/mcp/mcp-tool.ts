/** The tools of MCP servers as agents get them: what each says of itself comes from the envelope that was approved. */
import { z } from 'zod';
import type { Envelope, McpOffer, McpTool } from '#contract/agent.ts';
import type { Approval, Subject } from '#contract/approval.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { canonicalHash } from '../base/hash.ts';
import type { ToolLook } from './listings.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { toToolResult } from '../tools/to-tool-result.ts';
import { type Tool, type ToolContext, type ToolResult, writes } from '../tools/tool.ts';
import { asked } from '../tools/asked.ts';

/** How the calls of a run reach the servers. */
export interface McpAccess {
  /** Starts the server where it does not run. Throws a TriadError where it cannot be used, or has no such tool. */
  look(offer: McpOffer, tool: McpTool): Promise<ToolLook>;
  /** `agreed`: to what the call was allowed, where it was asked about. Throws as `look` does. */
  call(
    offer: McpOffer,
    tool: McpTool,
    input: Arguments,
    agreed: Agreed | null,
    context: ToolContext,
  ): Promise<ToolResult>;
}

/** What was shown of a tool with a call that was allowed. */
export interface Agreed {
  /** Of what the server said of it. */
  hash: string;
  /** The person has seen it: else it stays as unknown to them as it was. */
  byPerson: boolean;
}

export type Arguments = Record<string, unknown>;
const Arguments = z.record(z.string(), z.unknown());

/** Any arguments: a grant or a rule of a call is about the tool, seldom about what one call says. */
const ANY = '*';

/** `access`: null where none of them is called. */
export function mcpTools(offers: readonly McpOffer[], access: McpAccess | null): Tool[] {
  return offers.flatMap((offer) => offer.tools.map((tool) => toolOf(offer, tool, access)));
}

/** All tools of a run with these settings; none of its servers can be reached through them. */
export function toolsIn(tools: ToolRegistry, { mcp = [] }: Pick<Envelope, 'mcp'>): ToolRegistry {
  return tools.with(mcpTools(mcp, null));
}

function toolOf(offer: McpOffer, tool: McpTool, access: McpAccess | null): Tool {
  const { name, permissions } = tool;
  const reads = !writes({ permissions });
  const asks = !reads || permissions.includes('NetworkAccess');
  const reach = (): McpAccess => {
    if (access === null) throw new Error(`${name} is called where no server can be reached`);
    return access;
  };
  return {
    name,
    server: offer.config,
    describe: () => tool.description,
    input: Arguments,
    // Checked by the server, which knows best: a schema of a stranger's is not compiled here.
    schema: tool.inputSchema,
    permissions,
    baseline: false,
    primaryOnly: false,
    order: reads ? 'concurrent' : 'serial',
    recovery: reads ? 'repeat' : 'unknown',
    targets: (input) => Promise.resolve({ values: [JSON.stringify(input)], path: false }),
    question: async (input, { workspace: { folder } }) => {
      const look = await reach().look(offer, tool);
      if (!asks && look.state === 'known') return null;
      const held = heldBy(offer, look);
      return {
        ...asked(phrase('use_of_server', { tool: tool.tool, server: offer.server }), [
          held ?? phrase(reads ? 'server_reads' : 'server_changes', { server: offer.server }),
        ]),
        subject: subjectOf(offer, tool, look, { input, folder }),
        risk: held === null ? 'medium' : 'high',
        reversible: reads,
        nameable: true,
        grantPattern: ANY,
        ...(held === null ? {} : { held: sentenceOf(held) }),
      };
    },
    execute: (input, context, approval) =>
      toToolResult(context, () => {
        return reach().call(offer, tool, input as Arguments, agreedTo(approval), context);
      }),
  };
}

function agreedTo(approval: Approval | null): Agreed | null {
  const decision = approval?.decisions[0];
  const subject = approval?.request.subject;
  if (!decision?.allowed || subject?.kind !== 'tool' || !subject.mcp) return null;
  return { hash: subject.mcp.hash, byPerson: decision.decidedBy === 'person' };
}

/** Why no rule, grant or mode may answer for the person; null where they know the tool as it is. */
function heldBy({ server }: McpOffer, { state, before }: ToolLook): Phrase | null {
  if (state === 'changed') return phrase(before === null ? 'other_arguments' : 'other_words', { server });
  return state === 'new' ? phrase('new_tool', { server }) : null;
}

function subjectOf(
  { server, runs }: McpOffer,
  { name, tool }: McpTool,
  { description, before, hash }: ToolLook,
  { input, folder }: { input: unknown; folder: string },
): Subject {
  return {
    kind: 'tool',
    tool: name,
    input,
    folder,
    preview: null,
    hash: canonicalHash({ tool: name, input }),
    mcp: { server, runs, tool, description, before, hash },
  };
}
