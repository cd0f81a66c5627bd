/**
 * The rules of the person's file and of a project's, changed by the person: checked as a whole before anything is written,
 * written only over what they looked at, and recorded. The trust in a project's file is never touched.
 */
import { lstat, mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse, type TomlTable as Table } from 'smol-toml';
import type { RuleChange, RuleFile, RuleScope } from '#contract/permissions/rule-edit.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { isMissing, readRegularFile } from '../base/regular-file.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import { editToml, type TomlEdit } from '../settings/edit-toml.ts';
import type { LiveSettings } from '../settings/live-settings.ts';
import type { RuleEntry } from '../settings/rule-entry.ts';
import { checkSettings } from '../settings/settings.ts';
import { hashOf, mustBe, swapText } from '../settings/swap-text.ts';
import { readOwnFile, sentenceOf } from '../settings/toml-file.ts';
import { type CheckedEdit, checkedEdit } from './rule-checks.ts';
import { parseRules, projectFile, type RulePorts } from './rule-files.ts';
import { recordChange, type RuleChangeRecord } from './rule-record.ts';

interface Ports extends Pick<RulePorts, 'isTrusted'> {
  settings: Pick<LiveSettings, 'file' | 'setText'>;
  /** Where changes are recorded; left out: nowhere. */
  data?: string | undefined;
}

/** A file as it would be. */
export interface RuleDraft {
  scope: RuleScope;
  file: string;
  edit: CheckedEdit;
  before: string | null;
  after: string;
  /** Place of the rule in it, from 0; null for one that is taken out. */
  index: number | null;
}

interface Replacing {
  file: string;
  scope: RuleScope;
  before: string | null;
  /** Null: there was no file. */
  after: string | null;
  /** Runs when all but the change itself is done. */
  record: () => Promise<void>;
}

/** Most changes that can be taken back; each keeps the text of before. */
const MAX_UNDOS = 20;

export class RuleEdits {
  readonly #ports: Ports;
  /** One change at a time, of whatever file. */
  readonly #changes = new SerialQueue();
  /** Texts of before, by file and hash of what they became. */
  readonly #undos = new Map<string, string | null>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** The person's file, then the project's, as they are. Never rejects for what stands in one. */
  async files(folder: string): Promise<RuleFile[]> {
    return Promise.all((['user', 'project'] as const).map((scope) => this.#look(folder, scope)));
  }

  /** What a change would make of its file; writes nothing. Throws as `change` does. */
  async draft(folder: string, { scope, base, edit: wish }: RuleChange): Promise<RuleDraft> {
    const edit = checkedEdit(wish);
    const file = this.#fileOf(folder, scope);
    if (scope === 'project') await refuseLinks(file);
    const before = await this.#read(file, scope);
    mustBe(file, before, base);
    refuseFaults(before ?? '', file, scope, 'Put that right first');
    const after = editRules(before ?? '', edit);
    if (after === null) throw cannot(file, edit, rulesIn(before).length);
    refuseFaults(after, file, scope, 'Nothing was written');
    return { scope, file, edit, before, after, index: placeAfter(edit, rulesIn(before).length) };
  }

  /** The hash of the text that is there now, and the line of the rule. */
  change(folder: string, change: RuleChange): Promise<{ hash: string | null; line: number | null }> {
    return this.#changes.add(async () => {
      const draft = await this.draft(folder, change);
      const { file, scope, before, after, edit, index } = draft;
      await this.#write({ file, scope, before, after, record: recordOf(draft) });
      this.#keep(file, after, before);
      const line = index === null || edit.kind === 'move' ? null : lineOf(after, file, scope, index);
      return { hash: hashOf(after), line };
    });
  }

  /** Writes the text of before again, to the byte. */
  undo(folder: string, scope: RuleScope, base: string | null): Promise<{ hash: string | null }> {
    return this.#changes.add(async () => {
      const file = this.#fileOf(folder, scope);
      if (scope === 'project') await refuseLinks(file);
      const now = await this.#read(file, scope);
      mustBe(file, now, base);
      const key = keyOf(file, base);
      const before = this.#undos.get(key);
      if (before === undefined)
        throw new TriadError('conflict', `What was done to ${file} cannot be taken back any more`);
      const record = { what: 'undo', before: null, after: null } as const;
      // Settings that are left out are empty: their file stays.
      const after = scope === 'user' ? (before ?? '') : before;
      await this.#write({ file, scope, before: now, after, record });
      this.#undos.delete(key);
      return { hash: hashOf(after) };
    });
  }

  async #look(folder: string, scope: RuleScope): Promise<RuleFile> {
    const file = this.#fileOf(folder, scope);
    try {
      const text = await this.#read(file, scope);
      const hash = hashOf(text);
      const fault = (scope === 'project' ? await linkFault(file) : null) ?? faultIn(text ?? '', file, scope);
      const isOwn = scope === 'user' || hash === null;
      const trusted = isOwn || (await this.#ports.isTrusted(folder, hash).catch(() => false));
      return { scope, file, hash, rules: parseRules(text ?? '', file, scope).rules, trusted, fault };
    } catch (error) {
      return { scope, file, hash: null, rules: [], trusted: false, fault: errorInfo(error).message };
    }
  }

  #fileOf(folder: string, scope: RuleScope): string {
    return scope === 'user' ? this.#ports.settings.file : projectFile(folder);
  }

  async #read(file: string, scope: RuleScope): Promise<string | null> {
    if (scope === 'user') return readOwnFile(file);
    return readRegularFile(file).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw new TriadError('bad_input', `${file} cannot be read: ${errorInfo(error).message}`);
    });
  }

  async #write(
    write: Omit<Replacing, 'record'> & { record: Pick<RuleChangeRecord, 'what' | 'before' | 'after'> },
  ): Promise<void> {
    const { file, scope, before, after } = write;
    const [base, hashAfter] = [hashOf(before), hashOf(after)];
    const at = new Date().toISOString();
    let takeBack = (): Promise<void> => Promise.resolve();
    const made = { at, by: 'person', scope, file, ...write.record, hashBefore: base, hashAfter } as const;
    const record = async (): Promise<void> => void (takeBack = await recordChange(this.#ports.data, made));
    try {
      await this.#replace({ file, scope, before, after, record });
    } catch (error) {
      // What was not made stands in no record: another program was faster, or the disk is full.
      const now = await this.#read(file, scope).catch(() => null);
      if (hashOf(now) !== hashAfter) await takeBack().catch(() => undefined);
      throw error;
    }
  }

  async #replace({ file, scope, before, after, record }: Replacing): Promise<void> {
    const base = hashOf(before);
    if (after === null) {
      await record();
      // To record takes as long as the disk does.
      mustBe(file, await this.#read(file, scope), base);
      return rm(file);
    }
    if (scope === 'user') return this.#ports.settings.setText({ base, text: after, record });
    await mkdir(dirname(file), { recursive: true });
    const mode = before === null ? undefined : (await stat(file)).mode & 0o777;
    await swapText({ file, base, text: after, mode, record }, () => this.#read(file, scope));
  }

  #keep(file: string, text: string, before: string | null): void {
    this.#undos.set(keyOf(file, hashOf(text)), before);
    const [oldest] = this.#undos.keys();
    if (this.#undos.size > MAX_UNDOS && oldest !== undefined) this.#undos.delete(oldest);
  }
}

const RULES = ['permissions', 'rules'] as const;
/** In the order in which they are written. */
const KEYS = ['effect', 'agent', 'tool', 'permission', 'pattern'] as const;

/** The text with the edit; null where only a rewrite could do it, or where there is no such rule. The text must be valid TOML. */
export function editRules(text: string, edit: CheckedEdit): string | null {
  const rules = rulesIn(text);
  if (edit.kind !== 'add' && edit.index >= rules.length) return null;
  return tomlEdits(rules, edit).reduce(
    (edited: string | null, one) => (edited === null ? null : editToml(edited, one)),
    text,
  );
}

function tomlEdits(rules: readonly RuleEntry[], edit: CheckedEdit): TomlEdit[] {
  if (edit.kind === 'add') {
    const value = Object.fromEntries(listKeyValues(edit.rule).filter(([, one]) => one !== null));
    return [{ kind: 'insert', path: RULES, index: edit.at ?? rules.length, value }];
  }
  const path = [...RULES, String(edit.index)];
  if (edit.kind === 'remove') return [{ kind: 'set', path, value: null }];
  const { index, to = index } = edit;
  const changed = edit.kind === 'change' ? listKeyValues(edit.rule) : [];
  // New keys come behind those that go, with their indentation.
  const ordered = changed.toSorted(([, a], [, b]) => Number(a === null) - Number(b === null));
  return [
    ...ordered.map(([key, value]): TomlEdit => ({ kind: 'set', path: [...path, key], value })),
    { kind: 'move', path: RULES, index, to },
  ];
}

function listKeyValues(rule: RuleEntry): [string, string | null][] {
  return KEYS.map((key) => [key, rule[key] ?? null]);
}

function placeAfter(edit: CheckedEdit, count: number): number | null {
  if (edit.kind === 'remove') return null;
  if (edit.kind === 'add') return edit.at ?? count;
  return edit.to ?? edit.index;
}

const keyOf = (file: string, hash: string | null): string => `${hash} ${file}`;

function recordOf({ edit, before }: RuleDraft): Pick<RuleChangeRecord, 'what' | 'before' | 'after'> {
  const was = edit.kind === 'add' ? null : (rulesIn(before)[edit.index] ?? null);
  const is = 'rule' in edit ? edit.rule : edit.kind === 'move' ? was : null;
  return { what: edit.kind, before: was, after: is };
}

function rulesIn(text: string | null): RuleEntry[] {
  const { permissions } = parse(text ?? '') as { permissions?: Table };
  return (permissions?.rules ?? []) as unknown as RuleEntry[];
}

function lineOf(text: string, file: string, scope: RuleScope, index: number): number | null {
  return parseRules(text, file, scope).rules[index]?.place.line ?? null;
}

/** The first fault, with its line; the person's file is checked whole, as "triad config validate" does. */
function faultIn(text: string, file: string, scope: RuleScope): string | null {
  const [fault] = parseRules(text, file, scope).faults;
  if (fault) return `${file}:${fault.line}: ${fault.message}`;
  const whole = scope === 'user' ? checkSettings(text) : null;
  if (!whole || whole.ok) return null;
  const [problem] = whole.problems;
  return `${file}:${problem!.line}: ${sentenceOf(problem!)}`;
}

function refuseFaults(text: string, file: string, scope: RuleScope, hint: string): void {
  const fault = faultIn(text, file, scope);
  if (fault !== null) throw new TriadError('bad_input', `${fault}. ${hint}`);
}

function cannot(file: string, edit: CheckedEdit, count: number): TriadError {
  const place = edit.kind === 'add' ? (edit.at ?? 0) : Math.max(edit.index, placeAfter(edit, count) ?? 0);
  const isThere = edit.kind === 'add' ? place <= count : place < count;
  if (!isThere) return new TriadError('not_found', `${file} has no rule ${place + 1}: it has ${count}`);
  return new TriadError('bad_input', `${file} is written such that this cannot be changed here: change it there`);
}

/** What a project leads elsewhere is not written: the file that it leads to may be any. */
async function linkFault(file: string): Promise<string | null> {
  for (const path of [dirname(file), file]) {
    const stats = await lstat(path).catch(() => null);
    if (stats?.isSymbolicLink()) return `${path} is a link: change the file that it leads to`;
  }
  return null;
}

async function refuseLinks(file: string): Promise<void> {
  const fault = await linkFault(file);
  if (fault !== null) throw new TriadError('not_allowed', fault);
}
