/** The methods of rules and grants. */
import { join } from 'node:path';
import type { Parsed } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import { recentlyAnswered } from '#core/approvals/answered.ts';
import { type Action, isGrantable } from '#core/approvals/judge.ts';
import { explain } from '#core/runs/explain.ts';
import { temporaryNameOf } from '#core/runs/memory.ts';
import { callDefaults } from '#core/runs/call-facts.ts';
import { matches } from '#core/base/pattern.ts';
import { canonicalFolder } from '#core/base/disk-lookups.ts';
import type { Engine } from '#core/runs/engine.ts';
import { workspaceOf } from '#core/runs/workspace-of.ts';
import { mustExist, TriadError } from '#core/base/errors.ts';
import type { Store } from '#core/store/store.ts';
import { search, searchFrom } from '#core/tools/search/search.ts';
import { isSecret } from '#core/workspace/secret-names.ts';
import type { Handlers } from './handlers.ts';

type Mine =
  | ('permissions.list' | 'permissions.explain' | 'permissions.revoke' | 'permissions.match')
  | 'approval.recent';

/** Most files returned for a pattern. */
const SHOWN = 20;
const LEAD = 'lead';

/** `home`: the default folder. */
export function permissionMethods(engine: Engine, home: string): Pick<Handlers, Mine> {
  const { permissions, settings, store, tools } = engine;
  return {
    'permissions.list': async ({ folder }) => {
      const place = await canonicalFolder(folder ?? home);
      const { rules, faults, trusted } = await permissions.rules(place);
      const idle = rules.filter(({ tool }) => tool !== null && !isKnown(tool, tools.names(true)));
      return {
        mode: settings.permissions.mode,
        trusted,
        rules,
        grants: permissions.grants.live(Date.now()).filter((grant) => folder === undefined || grant.folder === place),
        unsignedGrants: permissions.grants.unsignedCount,
        faults: [
          ...faults.map(({ file, line, message }) => `${file}:${line}: ${message}`),
          ...idle.map(({ tool, place: { file, line } }) => `${file}:${line}: no tool matches "${tool}"`),
        ],
      };
    },
    'permissions.explain': async ({ agent, tool, input, folder, ...within }) => {
      const { conversation, workflowId } = await whereOf(store, within);
      const place = folder ?? conversation?.folder ?? home;
      return explain(engine, {
        agent,
        tool,
        input,
        folder: await canonicalFolder(place),
        conversationId: conversation?.id ?? null,
        workflowId,
        lead: conversation?.agent ?? LEAD,
      });
    },
    'permissions.revoke': ({ grantId }) => permissions.grants.revoke(grantId),
    'approval.recent': () => recentlyAnswered(store),
    'permissions.match': async ({ folder, agent, tool, pattern }) => {
      const place = await canonicalFolder(folder);
      const rules = await permissions.rules(place);
      const workspace = await workspaceOf(engine, place, false);
      const where = await searchFrom(workspace, undefined, []);
      const job = { kind: 'glob', includeIgnored: true, pattern: '**', only: pattern, hidden: [], ...where } as const;
      const found = await search(job, new AbortController().signal, { ripgrep: null });
      const call = callOf(engine, { folder: place, agent, tool });
      const isAllowed = (path: string): boolean =>
        !isSecret(workspace, join(place, path)) && isGrantable(call(path), pattern, rules);
      const files: string[] = [];
      // No more than tell whether there are more: each is judged here, and there may be a thousand.
      for (const path of found.lines) if (files.length <= SHOWN && isAllowed(path)) files.push(path);
      return { files: files.slice(0, SHOWN), more: found.more || files.length > SHOWN };
    },
  };
}

/** A call of the tool on one file, by an agent of which nothing else is known. */
export function callOf(
  { tools }: Engine,
  { folder, agent, tool }: Omit<Parsed<'permissions.match'>, 'pattern'>,
): (path: string) => Action {
  const { permissions = [], like } = tools.get(tool) ?? {};
  const nowhere = {
    conversationId: null,
    workflowId: null,
    requires: [],
    ceiling: null,
    starts: null,
    held: null,
    mode: 'manual',
  } as const;
  const call = { folder, agent: temporaryNameOf(agent) ?? agent, scope: agent, tool, like, permissions, ...nowhere };
  return (path) => ({ ...call, ...callDefaults(permissions, null), targets: { values: [path], path: true } });
}

/** The conversation given, or that of the workflow. Rejects with `not_found`, or `bad_input` if they do not match. */
async function whereOf(
  store: Store,
  { conversationId, workflowId }: Pick<Parsed<'permissions.explain'>, 'conversationId' | 'workflowId'>,
): Promise<{ conversation: ConversationRow | null; workflowId: string | null }> {
  const workflow =
    workflowId === undefined ? null : await mustExist(store.workflow(workflowId), `There is no workflow ${workflowId}`);
  const id = workflow?.conversationId ?? conversationId;
  if (conversationId !== undefined && conversationId !== id)
    throw new TriadError('bad_input', `The workflow ${workflowId} is not of conversation ${conversationId}`);
  const conversation =
    id === undefined ? null : await mustExist(store.conversation(id), `There is no conversation ${id}`);
  return { conversation, workflowId: workflow?.id ?? null };
}

function isKnown(pattern: string, names: readonly string[]): boolean {
  return names.some((name) => matches(pattern, name, { path: false, loose: true }));
}
