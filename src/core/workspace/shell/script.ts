/** From the tree of a script to what it runs. What isn't known here, node by node, makes the whole untold. */
import type { Node } from 'web-tree-sitter';
import { checkArithmetic, checkExpansion, expansionsIn, isExpansion } from './expansions.ts';
import { checkGap, checkGaps, isWord } from './gaps.ts';
import { readHeredoc } from './heredoc.ts';
import { checkVariable, isPlainName } from './names.ts';
import { checkPattern, readCondition, readTest } from './conditions.ts';
import { constant, readWord, untold, type Word } from './words.ts';

/** What a script does, in the order of its text. */
export type Step =
  /** `assigned`: what is set for the command alone. */
  | { kind: 'command'; assigned: Word[]; words: Word[]; inputs: readonly Input[] }
  /** `name`: null where it comes from the words, as for `export`. */
  | { kind: 'assignment'; name: string | null; words: Word[] }
  | { kind: 'redirect'; operator: string; path: Word };

/** What a command may be given to read, as words behind it: `< path`, `<<` for a document, `<<< text`; none for nothing. */
export type Input = readonly Word[];

/** What another program writes. */
export const PIPED: Input = [constant('<'), constant('-')];
const DOCUMENT: Input = [constant('<<')];

/** Deepest nesting that is looked into. */
const MAX_DEPTH = 60;
/** Made of statements, and of nothing else that says anything. */
const BLOCKS = new Set(
  'program list pipeline negated_command subshell compound_statement do_group if_statement elif_clause else_clause while_statement'.split(
    ' ',
  ),
);

export class Script {
  readonly steps: Step[] = [];
  readonly #source: string;
  /** Of what is looked at now, by what stands around it. */
  #inputs: readonly Input[];

  /** `inputs`: what the whole may be given to read. */
  constructor(root: Node, source: string, inputs: readonly Input[]) {
    this.#source = source;
    this.#inputs = inputs;
    if (root.hasError) untold('it does not parse');
    checkGap(source, 0, root.startIndex);
    checkGap(source, root.endIndex, source.length);
    this.#visit(root, 0);
  }

  #visit(node: Node, depth: number): void {
    if (depth > MAX_DEPTH) untold('it is nested too deep');
    if (node.isMissing || node.isError) untold('it does not parse');
    const { type } = node;
    if (type === 'heredoc_body' || type === 'comment') return this.#comment(node);
    if (!isWord(node)) checkGaps(node, this.#source);
    if (BLOCKS.has(type)) return this.#block(node, depth);
    if (type === 'command') return this.#command(node, [], depth);
    if (type === 'redirected_statement') return this.#redirected(node, depth);
    if (type === 'variable_assignment') return this.#assignment(node, depth);
    if (type === 'variable_assignments') return this.#block(node, depth);
    if (type === 'declaration_command' || type === 'unset_command') return this.#declaration(node, depth);
    if (type === 'for_statement') return this.#loop(node, depth);
    if (type === 'case_statement') return this.#case(node, depth);
    if (type === 'test_command') return this.#test(node, depth);
    if (type === 'file_redirect') return void this.#redirect(node, [], depth);
    untold(`"${type}" is not known`);
  }

  #block(node: Node, depth: number): void {
    let isPiped = false;
    for (const child of node.children) {
      isPiped ||= /^\|&?$/.test(child.type);
      if (child.isNamed) this.#within(isPiped ? [PIPED] : this.#inputs, () => this.#visit(child, depth + 1));
      else if (child.type === '((') untold('it calculates');
    }
  }

  #within(inputs: readonly Input[], look: () => void): void {
    const around = this.#inputs;
    this.#inputs = inputs;
    look();
    this.#inputs = around;
  }

  #comment(node: Node): void {
    if (node.type !== 'comment' || node.text.includes('\n')) untold('a comment is none');
    const before = this.#source.slice(0, node.startIndex);
    // A line that goes on goes on with a word.
    if (!/(^|[\s;&|()])$/.test(before) || before.endsWith('\\\n')) untold('a comment is none');
  }

  #word(node: Node, depth: number): Word {
    if (!isWord(node)) untold(`"${node.type}" is no word`);
    // What stands right before a redirection says which one it is.
    if (/^(\d+|\{.*\})$/.test(node.text) && /[<>]/.test(this.#source[node.endIndex] ?? '')) untold('a word is none');
    this.#expand(node, depth);
    return readWord(this.#source, node.startIndex, node.endIndex, expansionsIn(node));
  }

  /** What runs inside of expansions. */
  #expand(node: Node, depth: number): void {
    if (depth > MAX_DEPTH) untold('it is nested too deep');
    if (node.isMissing) untold('it does not parse');
    const { type } = node;
    if (type === 'command_substitution' || type === 'process_substitution') {
      if (node.text.startsWith('`') && node.text.includes('\\')) untold('backquotes are escaped');
      checkGaps(node, this.#source);
      return this.#block(node, depth + 1);
    }
    if (type === 'arithmetic_expansion') return checkArithmetic(node);
    if (isExpansion(node)) checkExpansion(node, this.#source);
    for (const child of node.namedChildren) this.#expand(child, depth + 1);
  }

  /** `more`: words behind a redirection, which belong to the command all the same. */
  #command(node: Node, more: readonly Node[], depth: number): void {
    const assigned: Word[] = [];
    const parts: Node[] = [];
    const own: Input[] = [];
    for (const child of node.children) {
      if (child.type === 'variable_assignment') {
        checkName(child);
        assigned.push(this.#value(child, depth));
      } else if (child.type === 'command_name') parts.push(...child.children);
      else if (child.type === 'file_redirect') own.push(...this.#redirect(child, parts, depth));
      else if (child.type === 'herestring_redirect') own.push(this.#hereString(child, depth));
      else parts.push(child);
    }
    parts.push(...more);
    parts.sort((a, b) => a.startIndex - b.startIndex);
    const words = parts.map((part) => this.#word(part, depth + 1));
    if (words.length === 0) untold('a command has no name');
    this.steps.push({ kind: 'command', assigned, words, inputs: own.length > 0 ? own : this.#inputs });
  }

  #redirected(node: Node, depth: number): void {
    const more: Node[] = [];
    const own: Input[] = [];
    const body = node.childForFieldName('body');
    for (const child of node.children) {
      if (child.id === body?.id) continue;
      if (child.type === 'file_redirect') own.push(...this.#redirect(child, more, depth));
      else if (child.type === 'herestring_redirect') own.push(this.#hereString(child, depth));
      else if (child.type === 'heredoc_redirect') own.push(...this.#heredoc(child, more, depth));
      else untold(`"${child.type}" is not known`);
    }
    if (body?.type === 'command') {
      checkGaps(body, this.#source);
      return this.#within(own.length > 0 ? own : this.#inputs, () => this.#command(body, more, depth + 1));
    }
    if (more.length > 0) untold('a redirection has words');
    // Of several commands the tree does not say which of them reads it.
    if (body) this.#within([...this.#inputs, ...own], () => this.#visit(body, depth + 1));
  }

  #hereString(node: Node, depth: number): Input {
    checkGaps(node, this.#source);
    return [constant('<<<'), ...node.namedChildren.map((child) => this.#word(child, depth + 1))];
  }

  /** The rest of the line of a document belongs to its node: more words, redirections, and what follows in the line. */
  #heredoc(node: Node, more: Node[], depth: number): Input[] {
    checkGaps(node, this.#source);
    readHeredoc(node, this.#source);
    const own = [DOCUMENT];
    for (const child of node.children) {
      if (child.type === 'heredoc_body') this.#expand(child, depth);
      else if (child.type === 'file_redirect') own.push(...this.#redirect(child, more, depth));
      else if (child.type === 'herestring_redirect' || child.type === 'heredoc_redirect')
        untold('it has several documents');
      else if (isWord(child)) more.push(child);
      else if (child.isNamed && !/^heredoc_(start|end)$/.test(child.type)) this.#visit(child, depth + 1);
    }
    return own;
  }

  /** What it gives to read; none where it leaves that as it is, as where it writes. */
  #redirect(node: Node, more: Node[], depth: number): Input[] {
    checkGaps(node, this.#source);
    const parts = [...node.children];
    const descriptor = parts[0]?.type === 'file_descriptor' ? parts.shift() : null;
    const [operator, target, ...rest] = parts;
    if (!operator || (descriptor && descriptor.endIndex !== operator.startIndex)) untold('a redirection is none');
    more.push(...rest);
    if (!target) {
      if (!/[<>]&-$/.test(operator.type)) untold('a redirection leads nowhere');
      return [];
    }
    const path = this.#word(target, depth + 1);
    this.steps.push({ kind: 'redirect', operator: operator.type, path });
    if (operator.type !== '<') return [];
    return [path.text === '/dev/null' ? [] : [constant('<'), path]];
  }

  #value(node: Node, depth: number): Word {
    const value = node.childForFieldName('value');
    const raw = node.text;
    if (value?.type === 'array') {
      checkGaps(value, this.#source);
      // What stands in brackets is calculated.
      for (const child of value.children)
        if (child.isNamed && this.#word(child, depth + 1).raw.startsWith('[')) untold('it calculates');
      return { raw, text: null, shown: raw, splits: false };
    }
    if (value) this.#word(value, depth + 1);
    return { ...readWord(this.#source, node.startIndex, node.endIndex, expansionsIn(node)), splits: false };
  }

  #assignment(node: Node, depth: number): void {
    this.steps.push({ kind: 'assignment', name: checkName(node), words: [this.#value(node, depth)] });
  }

  #declaration(node: Node, depth: number): void {
    const words = node.children.map((child) => {
      if (child.type === 'variable_assignment') return (checkName(child), this.#value(child, depth));
      return child.isNamed ? this.#word(child, depth + 1) : constant(child.text);
    });
    this.steps.push({ kind: 'assignment', name: null, words });
  }

  /** A loop sets its variable: each value is listed, but where the name is so plain that nothing else reads it. */
  #loop(node: Node, depth: number): void {
    if (node.children[0]?.type !== 'for') untold('it asks a person');
    const name = node.childForFieldName('variable')?.text ?? untold('a loop has no name');
    checkVariable(name);
    for (const child of node.childrenForFieldName('value')) {
      if (!child.isNamed) continue;
      const value = this.#word(child, depth + 1);
      if (isPlainName(name)) continue;
      const [text, shown] = [value.text && `${name}=${value.text}`, `${name}=${value.shown}`];
      const words = [{ raw: `${name}=${value.raw}`, text, shown, splits: false }];
      this.steps.push({ kind: 'assignment', name, words });
    }
    const body = node.childForFieldName('body') ?? untold('a loop has no body');
    this.#visit(body, depth + 1);
  }

  #case(node: Node, depth: number): void {
    for (const child of node.children) {
      if (child.type === 'case_item') this.#caseItem(child, depth + 1);
      else if (child.isNamed) this.#word(child, depth + 1);
    }
  }

  #caseItem(node: Node, depth: number): void {
    checkGaps(node, this.#source);
    const values = new Set(node.childrenForFieldName('value').map(({ id }) => id));
    for (const child of node.children) {
      if (values.has(child.id)) checkPattern(child);
      else if (child.isNamed) this.#visit(child, depth + 1);
    }
  }

  #test(node: Node, depth: number): void {
    const part = (child: Node): Word => this.#word(child, depth + 1);
    const [open] = node.children;
    if (open?.type === '[[') return readCondition(node, this.#source, part, depth);
    if (open?.type !== '[') untold('it calculates');
    this.steps.push({ kind: 'command', assigned: [], words: readTest(node, this.#source, part), inputs: [] });
  }
}

/** The name that an assignment sets, where it is an assignment for the shell too. */
function checkName(node: Node): string {
  const name = node.childForFieldName('name')?.text ?? '';
  checkVariable(name);
  const operator = node.text.slice(name.length);
  return /^\+?=/.test(operator) ? name : untold('an assignment is none');
}
