/** The commands of a conversation: what its page has buttons for, at hand while a message is written. */
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import type { App } from '#lib/app/app.svelte.ts';
import type { Command } from '#lib/parts/composer/suggestions.ts';
import { text } from '#lib/words/text.ts';

/** Null for what cannot be done now. */
export interface Doable {
  conversationId: string;
  /** The workflow that runs. */
  running: string | null;
  rewind: (() => void) | null;
  context: () => void;
}

export function slashCommandsOf(app: App, { conversationId, running, rewind, context }: Doable): Command[] {
  const words = text.composer.commands;
  const { conversationActions: actions, contexts } = app;
  return [
    { name: 'stop', description: words.stop, run: running === null ? null : () => app.stopWorkflow(running) },
    { name: 'compact', description: words.compact, run: () => contexts.compact(conversationId) },
    { name: 'new', description: words.new, run: () => goto(resolve('/')) },
    { name: 'rewind', description: words.rewind, run: rewind },
    { name: 'context', description: words.context, run: context },
    { name: 'export', description: words.exportMarkdown, run: () => actions.download(conversationId, 'md') },
    { name: 'export-json', description: words.exportJson, run: () => actions.download(conversationId, 'json') },
  ];
}
