/** A client lends something to a conversation: its editor, its terminals, its MCP servers, until it goes. */
import type { Lent, LentCall } from '#contract/hosts/lent.ts';
import { mustExist } from '#core/base/errors.ts';
import type { Engine } from '#core/runs/engine.ts';

/** Resolves with what ends it. Throws `not_found` where there is no such conversation. */
export async function lend(
  { store, lenders, mcp }: Engine,
  { conversationId, mcp: servers, ...offer }: Lent,
  listener: (call: LentCall) => void,
): Promise<() => void> {
  const { folder } = await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`);
  const endServers = mcp.lent.lend({ conversationId, folder }, servers);
  const end = lenders.lend(conversationId, offer, listener);
  return () => {
    end();
    endServers();
  };
}
