/** The methods of the history: list of workflows, facets, search, export and backup. */
import type { SavedFilter } from '#contract/history/history-methods.ts';
import type { Engine } from '#core/runs/engine.ts';
import { mustExist } from '#core/base/errors.ts';
import { exportConversation } from '../../records/export/export.ts';
import { listedExecutions, listedWorkflows } from '../../records/listed.ts';
import { namesFound } from '../../records/names-found.ts';
import { checkConversation, checkWorkflows } from '#core/store/check.ts';
import type { LiveSettings } from '#core/settings/live-settings.ts';
import type { Handlers } from './handlers.ts';

type Mine =
  | (
      | 'conversation.work'
      | 'workflow.list'
      | 'workflow.facets'
      | 'execution.list'
      | 'execution.facets'
      | 'workflow.days'
      | 'execution.days'
      | 'history.search'
      | 'conversation.export'
    )
  | ('backup.begin' | 'conversation.check' | 'store.conversations' | 'store.unlisted')
  | ('archive.conversations' | 'archive.check' | 'journal.state' | 'journal.check' | 'store.hide-notice');

export function historyMethods(
  { store, settings }: Pick<Engine, 'store' | 'settings'>,
  version: string,
): Pick<Handlers, Mine> {
  const conversation = (id: string) => mustExist(store.conversation(id), `There is no conversation ${id}`);
  return {
    'conversation.work': ({ conversationIds }) => store.sessionWork(conversationIds),
    'workflow.list': async (query) => {
      const { items, next } = await store.workflows(query);
      return { items: await listedWorkflows(store, items), next };
    },
    'backup.begin': async () => {
      const { keep, max_age_days: maxAgeDays } = settings.backups;
      return { partial: await store.beginBackup(), keep, maxAgeDays };
    },
    'workflow.facets': () => store.facets(),
    'execution.list': async (query) => {
      const { items, next } = await store.executions(query);
      return { items: await listedExecutions(store, items), next };
    },
    'execution.facets': () => store.executionFacets(),
    'workflow.days': (query) => store.workflowDays(query),
    'execution.days': (query) => store.executionDays(query),
    'history.search': async (query) => {
      const isNarrowed = [query.kind, query.workflows, query.executions].some((one) => one !== undefined);
      const isFirst = query.before === undefined && !isNarrowed;
      const [page, names] = await Promise.all([store.search(query), isFirst ? namesFound(store, query.text) : {}]);
      return { ...page, ...names };
    },
    'conversation.check': ({ conversationId, workflowIds }) =>
      workflowIds ? checkWorkflows(store, workflowIds) : checkConversation(store, conversationId),
    'store.conversations': () => store.conversationIds(),
    'store.unlisted': () => store.unlisted(),
    'archive.conversations': async () => (await store.archive?.conversations()) ?? null,
    'archive.check': async ({ conversationId }) => (await store.archive?.check(conversationId)) ?? null,
    'journal.state': () => store.journal.state(),
    'journal.check': () => store.journal.check(),
    'store.hide-notice': async ({ at }) => {
      await store.notices.hide(at);
      return {};
    },
    'conversation.export': async ({ conversationId, format, unredacted }) =>
      exportConversation(store, await conversation(conversationId), { format, version, unredacted }),
  };
}

/** The filters that a person keeps, in their settings. */
export function filterMethods(settings: LiveSettings): Pick<Handlers, 'filter.list' | 'filter.save' | 'filter.remove'> {
  const list = (): SavedFilter[] =>
    Object.entries(settings.history.filters)
      .map(([name, query]) => ({ name, query }))
      .sort((a, b) => a.name.localeCompare(b.name));
  return {
    'filter.list': list,
    'filter.save': async (filter) => {
      await settings.setFilter(filter);
      return list();
    },
    'filter.remove': async ({ name }) => {
      await settings.setFilter({ name, query: null });
      return list();
    },
  };
}
