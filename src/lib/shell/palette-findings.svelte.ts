/** What the palette finds: commands that can be given now, conversations and reports of all, files, agents, settings. */
import type { AgentFile } from '#contract/agent.ts';
import type { ConversationRow, SearchHit, SettingRow } from '#contract/view.ts';
import type { App } from '#lib/app/app.svelte.ts';
import type { Commands } from '#lib/app/commands.svelte.ts';
import { isInBrowser } from '#lib/app/client/connect-to-host.ts';
import { entriesOf, keyOf, nameOf, searchedOf, sectionsIn } from '#lib/settings/settings-entries.ts';
import { NEW_DRAFT } from '#lib/app/message-drafts.ts';
import { changeDraft } from '#lib/chat/composer/unsent.svelte.ts';
import { withMention } from '#lib/chat/composer/word.ts';
import { COMMAND_IDS, COMMANDS, type CommandId, slashOf } from '#lib/view/shell/command-table.ts';
import { queryOfHit } from '#lib/view/history-query.ts';
import { bestOf, exactFirst, scoreOf } from '#lib/view/shell/palette.ts';
import { conversationTitle } from '#lib/app/conversation-title.ts';
import { text } from '#lib/words/text.ts';

/** Of each kind: with nothing typed, and else. */
const MOST = { idle: 5, found: 8 };
/** Characters from which on files and reports are looked for: fewer are in almost all of them. */
const LEAST = 2;
/** After the last key press, before conversations, files and reports are asked for. */
const WAIT_MS = 100;

export interface Finding {
  /** Of all that is found. */
  key: string;
  label: string;
  /** Beside it, in small. */
  detail: string;
  /** Keys that do the same; empty for none. */
  keys: string;
  /** A place to go to, a command to give, or a file to name in a message. */
  to: { path: string } | { command: CommandId } | { mention: string };
}
export interface Findings {
  name: string;
  items: Finding[];
}

export class Palette {
  query = $state('');
  #conversations = $state.raw<readonly ConversationRow[]>([]);
  #agents = $state.raw<readonly AgentFile[]>([]);
  #settings = $state.raw<readonly SettingRow[]>([]);
  #reports = $state.raw<readonly SearchHit[]>([]);
  #paths = $state.raw<readonly string[]>([]);
  readonly #asker = crypto.randomUUID();
  readonly #app: App;
  readonly #commands: Commands;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App, commands: Commands) {
    this.#app = app;
    this.#commands = commands;
  }

  /** Asks for what there is now; what cannot be had is not found. */
  async open(): Promise<void> {
    this.type('');
    const { connection, folder } = this.#app;
    const [agents, rows] = await Promise.all([
      connection.request('agents.files', folder === '' ? {} : { folder }).catch(() => []),
      connection.request('settings.list', {}).catch(() => []),
    ]);
    this.#agents = agents;
    this.#settings = rows;
  }

  type(query: string): void {
    this.query = query;
    clearTimeout(this.#timer);
    if (query.trim().length < LEAST) [this.#reports, this.#paths] = [[], []];
    if (query.trim() === '') this.#conversations = this.#recent();
    else this.#timer = setTimeout(() => void this.#find(query), WAIT_MS);
  }

  /** Those that one may go on with: not the one on the screen. */
  #recent(): ConversationRow[] {
    const { conversations, rail } = this.#app;
    return conversations.items.filter(({ id }) => id !== rail.active).slice(0, MOST.idle);
  }

  /** Ends what still searches. */
  close(): void {
    clearTimeout(this.#timer);
    this.#app.connection.request('file.find', { text: null, asker: this.#asker }).catch(() => undefined);
  }

  /** The first that a part of all has: the older ones of many are found by more words. */
  async #find(query: string): Promise<void> {
    const { connection } = this.#app;
    const asked = { text: query.slice(0, 200), limit: MOST.found };
    const isLong = query.trim().length >= LEAST;
    const took = <T>(answer: Promise<T>, take: (found: T) => void): Promise<void> =>
      answer.then((found) => void (this.query === query && take(found))).catch(() => undefined);
    await Promise.all([
      took(connection.request('conversation.list', asked), ({ items }) => (this.#conversations = items)),
      isLong && took(this.#pathsFor(asked), ({ paths }) => (this.#paths = paths)),
      isLong &&
        took(
          connection.request('history.search', { ...asked, kind: 'report' }),
          ({ items }) => (this.#reports = items),
        ),
    ]);
  }

  /** As the box on the screen finds them, for whom it writes to; else in the folder for new conversations, for its usual lead. */
  #pathsFor({ text, limit }: { text: string; limit: number }) {
    const { connection, box } = this.#app;
    const where = { ...(box?.folder && { folder: box.folder }), ...(box && { agent: box.agent }) };
    return connection.request('file.find', { ...where, text: text.trim(), limit, asker: this.#asker });
  }

  /** Names a file in the message that is being written; false where that is one of a conversation that is still to begin. */
  mention(path: string): boolean {
    const { box } = this.#app;
    if (box) {
      box.mention(path);
      return true;
    }
    changeDraft(NEW_DRAFT, (draft) => withMention(draft, draft.length, path)[0]);
    return false;
  }

  /** What a person most likely means first: what can be done, and gone to; then what is written; then what can be set. */
  readonly findings: Findings[] = $derived.by(() => {
    const { query } = this;
    const words = text.shell;
    const isIdle = query.trim() === '';
    const conversations = this.#conversations.map(conversationFound);
    const commands = this.#commandsFound(query, isIdle ? COMMAND_IDS.length : MOST.found);
    const found = isIdle
      ? []
      : [
          { name: words.palette.files, items: this.#paths.map(fileFound) },
          { name: words.palette.reports, items: this.#reports.map((hit) => reportFound(hit, query)) },
          { name: words.palette.agents, items: this.#agentsFound(query) },
          { name: words.palette.settings, items: this.#settingsFound(query) },
        ];
    const known = { name: words.palette.conversations, items: conversations };
    const groups = isIdle ? [known, ...commands] : [...commands, known, ...found];
    const some = groups.filter(({ items }) => items.length > 0);
    return isIdle ? some : exactFirst(some, query, namesOf);
  });

  #commandsFound(query: string, most: number): Findings[] {
    const { commands: names, groups } = text.shell;
    const can = COMMAND_IDS.filter((id) => id !== 'palette' && this.#commands.can(id));
    const best = bestOf(can, query, (id) => `${names[id]} ${groups[COMMANDS[id].group]} ${shownSlash(id)}`, most);
    const items = best.map((id) => ({ id, item: this.#commandFound(id) }));
    return [...Map.groupBy(items, ({ id }) => COMMANDS[id].group)].map(([group, some]) => ({
      name: groups[group],
      items: some.map(({ item }) => item),
    }));
  }

  #commandFound(id: CommandId): Finding {
    const label = text.shell.commands[id];
    return {
      key: `command:${id}`,
      label,
      detail: shownSlash(id),
      keys: this.#commands.keysOf(id),
      to: { command: id },
    };
  }

  #agentsFound(query: string): Finding[] {
    const folder = encodeURIComponent(this.#app.folder);
    const best = bestOf(this.#agents, query, ({ name, description }) => `${name} ${description ?? ''}`, MOST.found);
    return best.map(({ name, description, file }) => {
      const path = `/agents?folder=${folder}&file=${encodeURIComponent(file)}`;
      return { key: `agent:${file}`, label: name ?? file, detail: description ?? '', keys: '', to: { path } };
    });
  }

  /** Sections first, then the settings whose name or path has all words, then those that only mention them. */
  #settingsFound(query: string): Finding[] {
    const { sections } = text.settingsPage;
    const entries = entriesOf(this.#settings, isInBrowser());
    const title = text.sidebar.settings;
    const some = bestOf(sectionsIn(entries), query, (section) => `${sections[section]} ${title}`, MOST.found);
    const isNamed = (entry: (typeof entries)[number]): boolean =>
      scoreOf(`${nameOf(entry)} ${keyOf(entry)}`, query) !== null;
    const matches = bestOf(entries, query, (entry) => Object.values(searchedOf(entry)).join(' '), entries.length);
    const best = matches.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a))).slice(0, MOST.found);
    return [
      ...some.map((section) => ({
        key: `section:${section}`,
        label: sections[section],
        detail: title,
        keys: '',
        to: { path: `/settings?section=${section}` },
      })),
      ...best.map((entry) => ({
        key: `setting:${keyOf(entry)}`,
        label: nameOf(entry),
        keys: '',
        detail: entry.kind === 'part' ? sections[entry.section] : keyOf(entry),
        to: { path: `/settings?at=${encodeURIComponent(keyOf(entry))}` },
      })),
    ];
  }
}

/** As it is written in a message; empty for what is not. */
function shownSlash(id: CommandId): string {
  const name = slashOf(id);
  return name === null ? '' : `/${name}`;
}

/** All that it is called: of a file also its name without its folder, of a setting its path in the settings file. */
function namesOf({ key, label, detail, to }: Finding): string[] {
  const file = 'mention' in to ? [label.slice(label.lastIndexOf('/') + 1)] : [];
  return [label, ...file, ...(key.startsWith('setting:') ? [detail] : [])];
}

function conversationFound({ id, folder, ...row }: ConversationRow): Finding {
  const label = conversationTitle(row);
  return { key: `conversation:${id}`, label, detail: folder, keys: '', to: { path: `/chat/${id}` } };
}

function fileFound(path: string): Finding {
  return { key: `file:${path}`, label: path, detail: text.shell.palette.toMessage, keys: '', to: { mention: path } };
}

function reportFound({ agent, snippet, title, ...hit }: SearchHit, query: string): Finding {
  const path = `/history/${hit.workflowId}?${queryOfHit(hit, query.trim())}`;
  return {
    key: `report:${hit.runId} ${hit.n}`,
    label: `${agent}${text.colon} ${snippet}`,
    detail: title || text.sidebar.untitled,
    keys: '',
    to: { path },
  };
}
