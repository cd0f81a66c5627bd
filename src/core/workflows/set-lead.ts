/** Changes the lead of a conversation in which nothing was said yet. */
import { TriadError } from '../base/errors.ts';
import type { Engine } from '../runs/engine.ts';
import type { Orchestrator } from './orchestrator.ts';

/** Rejects with `conflict` where something was said, or works there. The agent must be one that can be talked to. */
export function setLead(
  { log }: Pick<Engine, 'log'>,
  orchestrator: Orchestrator,
  conversationId: string,
  agent: string,
): Promise<void> {
  return orchestrator.whileIdle(conversationId, async () => {
    if (!log.isEmpty(conversationId))
      throw new TriadError('conflict', 'A conversation keeps the lead that it began with: begin another one');
    return {
      stored: log.save([{ table: 'conversation', key: conversationId, change: (row) => ({ ...row, agent }) }]),
    };
  });
}
