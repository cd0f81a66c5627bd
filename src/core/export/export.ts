/** A whole conversation as one file: Markdown to read, JSON for programs. */
import type { Output, Parsed } from '#contract/rpc.ts';
import type { Entry } from '#contract/message.ts';
import type { ConversationRow } from '#contract/view.ts';
import { workflowDetail } from '../snapshots.ts';
import type { Store } from '../store/store.ts';
import { jsonOf } from './json.ts';
import { markdownOf } from './markdown.ts';
import type { WorkflowRecord } from './record.ts';

export interface ExportOptions {
  format: Parsed<'conversation.export'>['format'];
  /** Of the program. */
  version: string;
}

export async function exportConversation(
  store: Store,
  conversation: ConversationRow,
  { format, version }: ExportOptions,
): Promise<Output<'conversation.export'>> {
  const workflows = workflowsOf(store, conversation.id);
  const parts =
    format === 'json' ? jsonOf(conversation, workflows, version) : markdownOf(conversation, workflows);
  let text = '';
  for await (const part of parts) text += part;
  return { fileName: `${fileNameOf(conversation)}.${format}`, text: text.toWellFormed() };
}

/** Workflows of one page. */
const PAGE = 100;

/** Oldest first; one is read when the one before it was taken. */
async function* workflowsOf(store: Store, conversationId: string): AsyncGenerator<WorkflowRecord> {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const page = await store.workflows({ conversationId, limit: PAGE, before });
    ids.push(...page.items.map(({ id }) => id));
    before = page.next ?? undefined;
  } while (before !== undefined);
  for (const id of ids.reverse()) {
    const workflow = await store.workflow(id);
    if (!workflow) continue;
    const { conversation: _, ...detail } = await workflowDetail(store, workflow);
    const entries = new Map<string, Entry[]>();
    for (const run of detail.runs) entries.set(run.id, await store.entriesOf(run.id));
    yield { ...detail, entries };
  }
}

/** Characters of a title in a file's name. */
const NAME_CHARS = 60;

/** Letters, digits and hyphens, which every file system takes; its date and the end of its id keep it apart. */
function fileNameOf({ title, createdAt, id }: ConversationRow): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, NAME_CHARS)
    .replace(/-+$/, '');
  return [createdAt.slice(0, 10), words || 'conversation', id.slice(-6)].join('-');
}
