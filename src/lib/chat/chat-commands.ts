/** The commands of the conversation on the screen: those that make sense now. */
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import type { ConversationRow, WorkflowRow } from '#contract/view.ts';
import type { App } from '#lib/app/app.svelte.ts';
import { copyLink } from '#lib/app/links.ts';
import { succeeds } from '#lib/ui/toasts.ts';
import type { CommandId } from '#lib/view/shell/command-table.ts';
import { newestAnswer, once } from './newest-answer.ts';
import { forkAfter, sendAgain } from './turn-actions.ts';

interface Chat {
  app: App;
  conversation: ConversationRow | null;
  workflows: readonly WorkflowRow[];
  rename: () => void;
  rewind: () => void;
  remove: () => void;
  stop: () => void;
  toggleContext: () => void;
  toggleChanges: () => void;
}

export function chatCommands(chat: Chat): Partial<Record<CommandId, () => void>> {
  const { app, conversation, workflows } = chat;
  if (!conversation) return {};
  const { id, pinned } = conversation;
  const running = workflows.find(({ status }) => status === 'running' || status === 'pending');
  const last = workflows.at(-1);
  const ended = lastEnded(workflows);
  const answered = newestAnswer(workflows);
  const cutOff = last?.outcome === 'interrupted' ? last : undefined;
  return {
    rename: chat.rename,
    pin: () => void app.conversationActions.pin(id, !pinned),
    context: chat.toggleContext,
    changes: chat.toggleChanges,
    copyLink: () => void copyLink(app.toasts, 'conversation', id),
    exportMarkdown: () => void app.conversationActions.download(id, 'md'),
    exportJson: () => void app.conversationActions.download(id, 'json'),
    ...(running ? { stop: chat.stop } : { remove: chat.remove }),
    ...(ended && { replay: () => void goto(resolve('/history/[id]/replay', { id: ended.id })) }),
    ...(workflows.length > 0 && { compact: () => void succeeds(app.toasts, app.contexts.compact(id)) }),
    ...(answered && {
      rewind: chat.rewind,
      fork: () => void once(answered, () => forkAfter(app, answered)),
      retry: () => void once(answered, () => sendAgain(app, answered)),
    }),
    ...(cutOff && { resume: () => void app.resume(cutOff.id) }),
  };
}

/** The newest workflow that can be replayed: of what a fork took over, the original can be. */
export function lastEnded(workflows: readonly WorkflowRow[]): WorkflowRow | undefined {
  return workflows.findLast(({ outcome, copiedFrom }) => outcome !== null && !copiedFrom);
}
