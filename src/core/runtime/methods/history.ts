/** The methods of the history screen: list of workflows, facets, search and export. */
import type { Engine } from '../../runs/engine.ts';
import { mustExist } from '../../base/errors.ts';
import { exportConversation } from '../../records/export/export.ts';
import { checkConversation, checkWorkflows } from '../../store/check.ts';
import type { Handlers } from './handlers.ts';

type Mine =
  | ('workflow.list' | 'workflow.facets' | 'history.search' | 'conversation.export')
  | ('conversation.check' | 'store.conversations');

export function historyMethods({ store }: Pick<Engine, 'store'>, version: string): Pick<Handlers, Mine> {
  const conversation = (id: string) => mustExist(store.conversation(id), `There is no conversation ${id}`);
  return {
    'workflow.list': (query) => store.workflows(query),
    'workflow.facets': () => store.facets(),
    'history.search': (query) => store.search(query),
    'conversation.check': ({ conversationId, workflowIds }) =>
      workflowIds ? checkWorkflows(store, workflowIds) : checkConversation(store, conversationId),
    'store.conversations': () => store.conversationIds(),
    'conversation.export': async ({ conversationId, format }) =>
      exportConversation(store, await conversation(conversationId), { format, version }),
  };
}
