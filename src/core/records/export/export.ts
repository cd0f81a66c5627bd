/** A whole conversation as one file: Markdown to read, JSON for programs. */
import type { Output, Parsed } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import { checkConversation } from '../../store/check.ts';
import { redacted } from '../../base/redact.ts';
import type { Store } from '../../store/store.ts';
import { slugOf } from '../../base/text.ts';
import { jsonOf } from './json.ts';
import { markdownOf } from './markdown.ts';
import { recordsOf } from './record.ts';

export interface ExportOptions {
  format: Parsed<'conversation.export'>['format'];
  /** As it happened, secrets included. */
  unredacted?: boolean;
  /** Of the program. */
  version: string;
}

export async function exportConversation(
  store: Store,
  row: ConversationRow,
  { format, version, unredacted = false }: ExportOptions,
): Promise<Output<'conversation.export'>> {
  const clean = <T>(value: T): T => (unredacted ? value : redacted(value));
  const { missing } = await checkConversation(store, row.id);
  const conversation = clean(row);
  const workflows = mapped(recordsOf(store, row.id), clean);
  const parts =
    format === 'json'
      ? jsonOf(conversation, workflows, { program: version, missing })
      : markdownOf(conversation, workflows, missing);
  let text = '';
  for await (const part of parts) text += part;
  return { fileName: `${fileNameOf(conversation)}.${format}`, text: text.toWellFormed() };
}

async function* mapped<T>(items: AsyncIterable<T>, map: (item: T) => T): AsyncGenerator<T> {
  for await (const item of items) yield map(item);
}

/** Unique by the date and the end of the id. */
function fileNameOf({ title, createdAt, id }: ConversationRow): string {
  return [createdAt.slice(0, 10), slugOf(title) || 'conversation', id.slice(-6)].join('-');
}
