/** A whole conversation as one file: Markdown to read, JSON for programs. */
import type { Output, Parsed } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import { checkConversation } from '../../store/check.ts';
import type { Store } from '../../store/store.ts';
import { slugOf } from '../../base/text.ts';
import { jsonOf } from './json.ts';
import { markdownOf } from './markdown.ts';
import { recordsOf } from './record.ts';

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
  const { missing } = await checkConversation(store, conversation.id);
  const workflows = recordsOf(store, conversation.id);
  const parts =
    format === 'json'
      ? jsonOf(conversation, workflows, { program: version, missing })
      : markdownOf(conversation, workflows, missing);
  let text = '';
  for await (const part of parts) text += part;
  return { fileName: `${fileNameOf(conversation)}.${format}`, text: text.toWellFormed() };
}

/** Unique by the date and the end of the id. */
function fileNameOf({ title, createdAt, id }: ConversationRow): string {
  return [createdAt.slice(0, 10), slugOf(title) || 'conversation', id.slice(-6)].join('-');
}
