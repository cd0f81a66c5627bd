/** The person's own files: settings, prices, and those with keys. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { chmodAdvice, writeFault } from '#core/base/write-fault.ts';
import { checkPrices } from '#core/model/prices.ts';
import { KEY_FILES, KEY_MODE, pricesFile, settingsFile } from '#core/settings/guarded-files.ts';
import { checkSettings, type Settings } from '#core/settings/settings.ts';
import { type CheckedFile, tryRead } from '#core/settings/toml-file.ts';
import { type Finding, problemFinding } from './finding.ts';

export interface OwnFiles {
  findings: Finding[];
  /** Null where the file has faults. */
  settings: Settings | null;
  /** Of the settings; empty where there is no file. */
  text: string;
  /** Those that are there. */
  files: string[];
}

export async function checkOwnFiles(config: string): Promise<OwnFiles> {
  const [file, prices] = [settingsFile(config), pricesFile(config)];
  const own = await checkFile(file, checkSettings);
  const listed = await checkFile(prices, checkPrices);
  const keys = await Promise.all(KEY_FILES.map((name) => checkKeyFile(join(config, name))));
  const { findings, text } = own;
  const isWhole = findings.every(({ level }) => level !== 'error');
  const checked = text === null && !isWhole ? null : checkSettings(text ?? '');
  return {
    findings: [...findings, ...listed.findings, ...keys.flat()],
    settings: checked?.ok ? checked.value : null,
    text: text ?? '',
    files: [...(text === null ? [] : [file]), ...(listed.text === null ? [] : [prices])],
  };
}

/** `text`: null where there is none, or it cannot be read. */
async function checkFile(
  file: string,
  check: (text: string) => CheckedFile<unknown>,
): Promise<{ findings: Finding[]; text: string | null }> {
  const guarded = await guard(file);
  const read = await tryRead(file);
  if ('fault' in read) return { findings: [...guarded, unread(file, read.fault)], text: null };
  if (read.text === null) return { findings: guarded, text: null };
  const result = check(read.text);
  const problems = result.ok ? [] : result.problems.map((problem) => problemFinding(file, problem));
  return { findings: [...guarded, ...problems], text: read.text };
}

/** What others may write is not the person's word, and is not read. */
async function guard(file: string, mode?: string): Promise<Finding[]> {
  const fault = await writeFault(file, mode);
  return fault === null ? [] : [wholeFile(file, fault.what, fault.remedy)];
}

async function checkKeyFile(file: string): Promise<Finding[]> {
  const found = await stat(file).catch(() => null);
  if (found === null) return [];
  const guarded = await guard(file, KEY_MODE);
  if (guarded.length > 0) return guarded;
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    return [wholeFile(file, 'others can read this file with keys', chmodAdvice(file, KEY_MODE))];
  const read = await tryRead(file);
  if ('fault' in read) return [unread(file, read.fault)];
  return isObject(read.text ?? '{}')
    ? []
    : [wholeFile(file, 'is not a JSON object of names and texts', 'repair or remove it')];
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');
  } catch {
    return false;
  }
}

export function wholeFile(file: string, what: string, todo: string, level: Finding['level'] = 'error'): Finding {
  return { file, line: 1, column: 1, level, key: null, what, todo };
}

export function unread(file: string, fault: { line: number; column: number; what: string; remedy: string }): Finding {
  const { line, column, what, remedy } = fault;
  return { file, line, column, level: 'error', key: null, what, todo: remedy };
}
