/** What a person writes about a new MCP server, and the entry of the settings that it means. */
import type { McpServerView } from '#contract/mcp/mcp-methods.ts';
import type { Input } from '#contract/rpc.ts';
import { commandWords } from '#lib/view/command-words.ts';
import { text } from '#lib/words/text.ts';

/** A variable of the environment, or a header. */
interface Row {
  name: string;
  value: string;
  /** Kept in the key store, not in the settings. */
  secret: boolean;
}

export class McpDraft {
  name = $state('');
  kind = $state<McpServerView['kind']>('stdio');
  command = $state('');
  url = $state('');
  readonly rows: Row[] = $state([newRow()]);

  get isEmpty(): boolean {
    return this.name.trim() === '' || (this.kind === 'stdio' ? this.command : this.url).trim() === '';
  }

  more(): void {
    this.rows.push(newRow());
  }

  less(index: number): void {
    this.rows.splice(index, 1);
  }

  /** Throws an `Error` that says what is wrong, where no entry can be made of it. */
  input(): Input<'mcp.add'> {
    const rows = this.rows.filter(({ name, value }) => name.trim() !== '' || value !== '');
    const words = text.mcp.form;
    const names = rows.map(({ name }) => name.trim());
    if (names.includes('')) throw new Error(words.noName);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) throw new Error(words.twice(twice));
    const keys = secretKeys(names);
    const kept = rows.map((row, index) => ({ ...row, name: names[index]!, key: keys[index]! }));
    const values = Object.fromEntries(
      kept.map(({ name, value, secret, key }) => [name, secret ? `\${secret:${key}}` : value]),
    );
    const secrets = Object.fromEntries(kept.flatMap(({ key, value, secret }) => (secret ? [[key, value]] : [])));
    return { name: this.name.trim(), entry: this.#entry(values), secrets };
  }

  #entry(values: Record<string, string>): Input<'mcp.add'>['entry'] {
    if (this.kind === 'http') return { url: this.url.trim(), headers: values };
    const [command, ...args] = commandWords(this.command) ?? [];
    if (command === undefined) throw new Error(text.mcp.form.unclosed);
    return { command, args, env: values };
  }
}

function newRow(): Row {
  return { name: '', value: '', secret: true };
}

/** Of each value the name of its secret, which has fewer characters to choose from than the name of a header. */
function secretKeys(names: readonly string[]): string[] {
  const keys: string[] = [];
  for (const name of names) {
    let key = name.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_');
    while (keys.includes(key)) key += '_';
    keys.push(key);
  }
  return keys;
}
