/** What a project brings beside its agents: its settings and its MCP servers. */
import { join } from 'node:path';
import { PROJECT_CONFIG } from '#core/agents/places.ts';
import { Trust } from '#core/agents/trust.ts';
import { parseRules } from '#core/approvals/rule-files.ts';
import { sha256 } from '#core/base/hash.ts';
import { MCP_JSON, readMcpJson } from '#core/settings/mcp-json.ts';
import { idleLimits } from '#core/settings/project-config.ts';
import type { Settings } from '#core/settings/settings.ts';
import { tryRead } from '#core/settings/toml-file.ts';
import { type Finding, keyFinder } from './finding.ts';
import { unread, wholeFile } from './own-files.ts';

interface Project {
  /** Canonical. */
  folder: string;
  /** Of the program. */
  data: string;
  limits: Settings['limits'] | null;
}

/** `files`: those that are there; `texts`: what could be read of them. */
export async function checkProjectFiles(project: Project) {
  const { folder, data } = project;
  const [settings, servers] = [join(folder, PROJECT_CONFIG), join(folder, MCP_JSON)];
  const found = [
    { file: settings, path: PROJECT_CONFIG, check: (text: string) => settingFindings(settings, text, project.limits) },
    { file: servers, path: MCP_JSON, check: (text: string) => serverFindings(servers, text) },
  ];
  const findings: Finding[] = [];
  const texts = new Map<string, string>();
  for (const { file, path, check } of found) {
    const read = await tryRead(file);
    if ('fault' in read) findings.push(unread(file, read.fault));
    else if (read.text !== null) {
      texts.set(file, read.text);
      const own = check(read.text);
      findings.push(...own);
      const isWhole = own.every(({ level }) => level !== 'error');
      if (isWhole && !(await new Trust(data).trusts(folder, path, sha256(read.text))))
        findings.push(untrusted(file, path));
    }
  }
  const text = texts.get(settings) ?? '';
  const { rules } = parseRules(text, settings, 'project');
  return { findings, texts, rules: { file: settings, text, rules } };
}

function untrusted(file: string, path: string): Finding {
  const what = path === PROJECT_CONFIG ? 'only what its rules deny or ask about counts' : 'no server of it is started';
  return wholeFile(file, `is not trusted as it is: ${what}`, 'look at it, with "triad trust"', 'warning');
}

function settingFindings(file: string, text: string, limits: Settings['limits'] | null): Finding[] {
  const { faults, project } = parseRules(text, file, 'project');
  const errors = faults.map(({ line, column, message }): Finding => {
    return {
      file,
      line,
      column,
      level: 'error',
      key: keyIn(message),
      what: message,
      todo: 'correct it, or take it out',
    };
  });
  const say = keyFinder(file, text);
  const idle = (limits === null ? [] : idleLimits(limits, project)).map((key) =>
    say(key, 'changes nothing: yours is not higher', 'lower it, or take it out'),
  );
  return [...errors, ...idle];
}

/** Messages of rules begin with their key. */
function keyIn(message: string): string | null {
  return /^[\w."-]+(?= )/.exec(message)?.[0] ?? null;
}

function serverFindings(file: string, text: string): Finding[] {
  const { servers, fault, at = { line: 1, column: 1 } } = readMcpJson(text);
  if (fault !== null) return [{ ...wholeFile(file, fault, 'correct it'), ...at }];
  return [...servers].flatMap(([name, one]): Finding[] => {
    if (!('fault' in one)) return [];
    const key = `mcpServers.${name}`;
    return [{ file, ...placeIn(text, name), level: 'error', key, what: `${key}: ${one.fault}`, todo: 'correct it' }];
  });
}

/** Of a server's name in the JSON text; the beginning where it is written in another way. */
function placeIn(text: string, name: string): { line: number; column: number } {
  const at = text.search(new RegExp(`${JSON.stringify(name).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}\\s*:`));
  if (at < 0) return { line: 1, column: 1 };
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
