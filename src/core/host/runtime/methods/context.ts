/** The methods of what agents are told: how full their contexts are, making room, and taking that back. */
import { compactAtOf } from '#core/settings/context-settings.ts';
import { Contexts } from '#core/workflows/contexts.ts';
import { filledContext } from '#core/workflows/filled-context.ts';
import type { Services } from '../services.ts';
import type { Handlers } from './handlers.ts';

type Mine = 'context.state' | 'context.compact' | 'context.restore';

export function contextMethods({ engine, orchestrator }: Services): Pick<Handlers, Mine> {
  const contexts = new Contexts(engine, orchestrator);
  return {
    'context.state': async ({ conversationId, parts }) => {
      const { items } = await engine.store.workflows({ conversationId, limit: RECENT });
      const runs = await engine.store.runsOf(items.map(({ id }) => id));
      const models = new Map(
        runs.map(({ envelope: { provider, model } }) => [`${provider}\n${model}`, { provider, model }]),
      );
      const windows = [...models.values()].map((one) => ({
        ...one,
        window: engine.capabilities(one.provider, one.model).contextWindow,
      }));
      const state = { compactAt: compactAtOf(engine.settings), windows };
      return parts ? { ...state, parts: await filledContext(engine, orchestrator, conversationId) } : state;
    },
    'context.compact': ({ conversationId }) => contexts.compact(conversationId),
    'context.restore': async (which) => {
      await contexts.restore(which);
      return {};
    },
  };
}

/** Workflows whose models are looked at: those that a client shows first. */
const RECENT = 20;
