/** Whether a rule may be written as the person wishes: it must mean what it shows. */
import type { RuleEdit, RuleWish } from '#contract/permissions/rule-edit.ts';
import { piecesOf, visibleText } from '#contract/visible-text.ts';
import { TriadError } from '../base/errors.ts';
import { alternativesFault } from '../base/pattern.ts';
import { problemWords } from '../base/problem-words.ts';
import { RuleEntry } from '../settings/rule-entry.ts';

/** The edit with a rule that fits. */
export type CheckedEdit =
  | { kind: 'add'; rule: RuleEntry; at?: number | undefined }
  | { kind: 'change'; index: number; rule: RuleEntry; to?: number | undefined }
  | Extract<RuleEdit, { kind: 'move' | 'remove' }>;

/** Throws `bad_input` with what to write instead. */
export function checkedEdit(edit: RuleEdit): CheckedEdit {
  return 'rule' in edit ? { ...edit, rule: checkedRule(edit.rule) } : edit;
}

/** Why no rule has this pattern, as the end of a sentence; null where one may. */
export function rulePatternFault(pattern: string): string | null {
  const parsed = RuleEntry.shape.pattern.safeParse(pattern, { error: problemWords });
  return parsed.success ? seenFault('pattern', pattern) : (parsed.error.issues[0]?.message ?? 'does not fit');
}

function checkedRule(wish: RuleWish): RuleEntry {
  const parsed = RuleEntry.safeParse(wish, { error: problemWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const key = issue?.path.map(String).join('.');
    throw new TriadError('bad_input', `The rule${key ? `’s ${key}` : ''} ${issue?.message}`);
  }
  for (const key of ['agent', 'tool', 'pattern'] as const) {
    const text = parsed.data[key];
    const fault = text === undefined ? null : seenFault(key, text);
    if (fault !== null) throw new TriadError('bad_input', `The rule’s ${key} ${fault}`);
  }
  return parsed.data;
}

function seenFault(key: 'agent' | 'tool' | 'pattern', text: string): string | null {
  return hiddenFault(text) ?? (key === 'pattern' ? null : alternativesFault(text)) ?? blankFault(text);
}

/** What nobody can see could make it another rule than it looks like; words of mixed scripts are shown with a mark. */
function hiddenFault(text: string): string | null {
  if (text.includes('\n') || text.includes('\t')) return 'has an end of line or a tab in it: take it out';
  if (!piecesOf(text).some(({ kind }) => kind === 'hidden')) return null;
  return `has characters that cannot be seen: ${visibleText(text)}. Write it again by hand`;
}

function blankFault(text: string): string | null {
  return text.trim() === text && text !== '' ? null : 'must not begin or end with a space';
}
