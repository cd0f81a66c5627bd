/** The files of agents as an editor needs them: read, checked, written over only what was read, and drafted. */
import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { AgentLint, AgentText } from '#contract/agent.ts';
import type { UnsavedPrompt } from '#contract/agents/prompt-file.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { TriadError } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import { isMissing, MAX_BYTES, readRegularFile } from '../base/regular-file.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import type { Trust } from './trust.ts';
import { type AgentFolders, pathInProject } from './agent-folders.ts';
import type { Ceilings } from './ceilings.ts';
import { newPath } from './draft.ts';
import { bodyWith, editText, type FormValues, valuesOf, valuesOfDefinition } from './edit.ts';
import { fault, START } from './entries.ts';
import { describeFault, loadFile, loadPlace, nameOf, reportOf } from './load.ts';
import { type AgentPlace, getFileKind, ownPlace } from './places.ts';
import { findPromptFile, type PromptFile, withPromptFiles } from './prompts/prompt-files.ts';
import { placeHolding } from './read-place.ts';
import { agentTemplate } from './template.ts';
import type { KnownTool } from './vocabulary.ts';
import { Document } from 'yaml';

export interface AgentFilesPorts {
  agents: AgentFolders;
  trust: Trust;
  tools: readonly KnownTool[];
  ceilings: (folder: string) => Promise<Ceilings>;
}

/** Methods take the canonical folder of a workspace, and the absolute path of a file of one of its places. */
export class AgentFiles {
  readonly #ports: AgentFilesPorts;
  readonly #saves = new SerialQueue();

  constructor(ports: AgentFilesPorts) {
    this.#ports = ports;
  }

  async read(folder: string, file: string): Promise<AgentText> {
    const place = this.#placeHolding(folder, file);
    await refuseLinkedWithin(place, file);
    const text = await readRegularFile(file).catch((error: unknown) => {
      const message = isMissing(error) ? 'is not there any more' : `cannot be read: ${messageOf(error)}`;
      throw new TriadError(isMissing(error) ? 'not_found' : 'bad_input', `${file} ${message}`);
    });
    const readOnly = await this.#readOnly(folder, file, place);
    const prompt = await findPromptFile(text, file, place);
    return describeText({ file, source: place.source, text, readOnly }, prompt);
  }

  /** `unsaved`: the text of the prompt file that will be saved with it. */
  async lint(folder: string, file: string, text: string, unsaved?: UnsavedPrompt): Promise<AgentLint> {
    const place = this.#placeHolding(folder, file);
    const { agents, tools, ceilings } = this.#ports;
    const prompt = describeUnsaved(await findPromptFile(text, file, place), unsaved);
    const raw = await withPromptFiles({ path: file, problem: null, text, hash: sha256(text) }, place, unsaved);
    const alone = agents.checked(loadFile(raw, place, tools, await ceilings(folder)), place);
    const loaded = await agents.linked(folder, place, alone);
    const report = reportOf(loaded);
    if (place.dialect !== 'triad')
      return { text, report, values: loaded.ok ? valuesOfDefinition(loaded.definition) : null };
    const values = valuesOf(raw.problem === null ? raw.text : text, getFileKind(file, place));
    const name = nameOf(loaded);
    const others = name === null ? [] : await loadPlace(place, tools);
    const other = others.find((one) => one.path !== file && one.ok && nameOf(one) === name);
    if (!other) return { text, report, values, ...prompt };
    const taken = fault(START, phrase('name_taken', { name: name ?? '', path: other.path }), { key: 'name' });
    return { text, report: { ...report, ok: false, errors: [taken, ...report.errors] }, values, ...prompt };
  }

  /** Changes the prompt file if the change is one of its text. An empty text is a fault, and leaves the name of the file. */
  async edit(
    folder: string,
    file: string,
    text: string,
    changes: Readonly<FormValues>,
    unsaved?: UnsavedPrompt,
  ): Promise<AgentLint> {
    const place = this.#placeHolding(folder, file);
    if (place.dialect !== 'triad')
      throw new TriadError('not_allowed', `${file} is of another program: it is changed there`);
    const kind = getFileKind(file, place);
    const prompt = await findPromptFile(text, file, place);
    if (prompt === null || changes[prompt.key] === undefined)
      return this.lint(folder, file, editText(text, kind, changes), unsaved);
    const { [prompt.key]: written, ...others } = changes;
    const edited = Object.keys(others).length === 0 ? text : editText(text, kind, others);
    const before = unsaved?.file === prompt.file ? unsaved.text : withLineFeeds(prompt.text);
    return this.lint(folder, file, edited, { file: prompt.file, text: bodyWith(before, String(written ?? '')) });
  }

  /**
   * Checks and saves a text, and trusts it where the file is a project's; saves run one at a time. `before` is the hash of the text that the editor read, null for none. Throws
   * `conflict` where the file has changed since, `not_allowed` where it is read-only, and `bad_input` for a text with faults.
   * `unsaved` is written into the file that the text names for its prompt.
   */
  save(folder: string, file: string, text: string, before: string | null, unsaved?: UnsavedPrompt): Promise<AgentText> {
    return this.#saves.add(() => this.#save(folder, file, text, before, unsaved));
  }

  /** The path and text of a new agent, or of a composition where one is copied; writes nothing. Throws `conflict` where it already exists. */
  async draft(
    folder: string,
    { name, source, copyOf }: { name: string; source: 'user' | 'project'; copyOf?: string | undefined },
  ): Promise<AgentText> {
    const { agents, tools } = this.#ports;
    const isComposition = copyOf !== undefined && this.#placeHolding(folder, copyOf).compositions === true;
    const place = ownPlace(agents.places(folder), source, isComposition);
    if (!place) throw new TriadError('not_found', 'There is no folder for such agents');
    const file = await newPath(place, name, tools);
    const text = copyOf === undefined ? agentTemplate(name) : await this.#copy(folder, copyOf, name);
    return { file, source, text, hash: null, readOnly: null };
  }

  async #save(
    folder: string,
    file: string,
    text: string,
    before: string | null,
    unsaved?: UnsavedPrompt,
  ): Promise<AgentText> {
    const place = this.#placeHolding(folder, file);
    const readOnly = await this.#readOnly(folder, file, place);
    if (readOnly !== null) throw new TriadError('not_allowed', `${file} cannot be saved: ${readOnly}`);
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw new TriadError('bad_input', `The text is larger than ${MAX_BYTES / 1024} KiB`);
    const { report } = await this.lint(folder, file, text, unsaved);
    const [error] = report.errors;
    if (error) throw new TriadError('bad_input', describeFault(basename(file), error));
    await mkdir(dirname(file), { recursive: true });
    const old = await textOrNull(file);
    const content = matchLineEnds(old, text);
    const mode = old === null ? undefined : (await stat(file)).mode & 0o777;
    const prompt = await this.#savePrompt(file, text, place, before, unsaved);
    const isSame = async (): Promise<boolean> =>
      prompt === null ? (await readVersion(file, place)) === before : (await textOrNull(file)) === old;
    if (prompt === null || content !== old)
      await writeAtomically(file, content, {
        mode,
        before: async () => {
          if (!(await isSame())) throw createConflict(file);
        },
      });
    if (place.source === 'project') {
      await this.#ports.trust.add(folder, pathInProject(folder, file), content);
    }
    const named = await findPromptFile(content, file, place);
    return describeText({ file, source: place.source, text: content, readOnly }, named);
  }

  /** Writes the prompt file that the text names, before the text itself. Returns null if nothing changed. */
  async #savePrompt(
    file: string,
    text: string,
    place: AgentPlace,
    before: string | null,
    unsaved?: UnsavedPrompt,
  ): Promise<PromptFile | null> {
    const prompt = await findPromptFile(text, file, place);
    const isChanged = unsaved?.file === prompt?.file && unsaved?.text !== withLineFeeds(prompt?.text ?? '');
    if (prompt === null || unsaved === undefined || !isChanged) return null;
    const { realPath } = prompt;
    await writeAtomically(realPath, matchLineEnds(prompt.text, unsaved.text), {
      mode: (await stat(realPath)).mode & 0o777,
      before: async () => {
        if ((await readVersion(file, place)) !== before) throw createConflict(file);
      },
    });
    return prompt;
  }

  async #copy(folder: string, file: string, name: string): Promise<string> {
    const { text } = await this.read(folder, file);
    const place = this.#placeHolding(folder, file);
    const raw = await withPromptFiles({ path: file, problem: null, text, hash: sha256(text) }, place);
    const loaded = loadFile(raw, place, this.#ports.tools);
    if (!loaded.ok) throw new TriadError('bad_input', `${file} has faults: it cannot be copied`);
    // A copy includes the text of its prompt file, so changing the copy does not change the original.
    const whole = raw.problem === null ? raw.text : text;
    if ('composition' in loaded) return editText(whole, 'composition', { 'agent.name': name });
    if (place.dialect !== 'triad') return copyToTriad({ ...valuesOfDefinition(loaded.definition), name });
    const kind = getFileKind(file, place);
    if (kind === 'toml') return copyToTriad({ ...valuesOf(whole, kind), name });
    return loaded.definition.name === name ? text : editText(text, kind, { name });
  }

  /** Throws `not_allowed` for a file that no place of the folder has. */
  #placeHolding(folder: string, file: string): AgentPlace {
    const place = placeHolding(this.#ports.agents.places(folder), file);
    if (place) return place;
    throw new TriadError('not_allowed', `${file} is no file of an agent of ${folder}`);
  }

  /** Why the file is read-only; null where it can be written. */
  async #readOnly(folder: string, file: string, { source, dialect, ...place }: AgentPlace): Promise<string | null> {
    if (source === 'builtin') return 'it comes with Triad';
    if (dialect !== 'triad') return 'it belongs to another program, and is changed there';
    const isLink = (await lstat(file).catch(() => null))?.isSymbolicLink() ?? false;
    if (isLink) return 'it is a link: change the file that it leads to';
    // The person's own places may be links to anywhere.
    const real = source === 'project' ? await nearestReal(place.folder) : folder;
    if (real === folder || real?.startsWith(folder + sep)) return null;
    return 'its folder is a link that leads out of the workspace';
  }
}

/** Throws `not_allowed` for a file behind a linked folder within its place, because such files are not read either. */
async function refuseLinkedWithin({ folder }: AgentPlace, file: string): Promise<void> {
  const within = relative(folder, dirname(file));
  const [real, above] = await Promise.all([dirname(file), folder].map((path) => realpath(path).catch(() => path)));
  if (real === join(above ?? folder, within)) return;
  throw new TriadError('not_allowed', `${file} lies behind a link, which is not followed`);
}

/** Returns a text with its prompt file, and the hash of both. */
function describeText({ text, ...file }: Omit<AgentText, 'hash' | 'prompt'>, prompt: PromptFile | null): AgentText {
  const named = prompt && { key: prompt.key, file: prompt.file, text: withLineFeeds(prompt.text) };
  return { ...file, text: withLineFeeds(text), hash: hashVersion(text, prompt), ...(named ? { prompt: named } : {}) };
}

function describeUnsaved(prompt: PromptFile | null, unsaved: UnsavedPrompt | undefined): Pick<AgentLint, 'prompt'> {
  if (prompt === null) return {};
  const { key, file } = prompt;
  const saved = withLineFeeds(prompt.text);
  const text = unsaved?.file === file ? unsaved.text : saved;
  return { prompt: { key, file, text, isChanged: text !== saved } };
}

function hashVersion(text: string, prompt: PromptFile | null): string {
  return prompt === null ? sha256(text) : sha256(`${text}\0${prompt.text}`);
}

/** Returns null if the file does not exist. */
async function readVersion(file: string, place: AgentPlace): Promise<string | null> {
  const text = await textOrNull(file);
  return text === null ? null : hashVersion(text, await findPromptFile(text, file, place));
}

function createConflict(file: string): TriadError {
  return new TriadError('conflict', `${file} is not what it was any more: nothing was saved`);
}

/** Returns the text with the line ends of the old one. */
function matchLineEnds(old: string | null, text: string): string {
  return old?.includes('\r\n') ? withLineFeeds(text).replaceAll('\n', '\r\n') : text;
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

async function textOrNull(file: string): Promise<string | null> {
  return readRegularFile(file).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw new TriadError('bad_input', `${file} cannot be read: ${messageOf(error)}`);
  });
}

/** The real path of the folder, or of the nearest existing one above it; null behind a dangling link. */
async function nearestReal(folder: string): Promise<string | null> {
  const real = await realpath(folder).catch(() => null);
  if (real !== null) return real;
  const isLink = await lstat(folder).catch(() => null);
  return isLink ? null : nearestReal(dirname(folder));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The text of an agent of another format as a file of Triad's own. */
function copyToTriad({ prompt, ...keys }: FormValues): string {
  const document = new Document({});
  for (const [key, value] of Object.entries(keys)) document.set(key, document.createNode(value, { flow: true }));
  const frontmatter = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return `---\n${frontmatter}---\n\n${String(prompt ?? '').trim()}\n`;
}
