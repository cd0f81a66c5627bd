/** A test's app: a scripted model, the real program before a person, and verbs for that person. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { Script } from '../../tests/support/fake-model/script.ts';
import { type FakeModel, type FakeModelOptions, startFakeModel } from '../../tests/support/fake-model/server.ts';
import type { Complaints } from './complaints.ts';
import { Person } from './person.ts';
import type { Desktop, OpenSurface, Surface, SurfaceOptions } from './surface.ts';

export interface AppOptions {
  model?: FakeModelOptions;
  /** Files of the workspace, added to the usual ones. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  /** Null: none, as at the very first start. */
  apiKey?: string | null;
  /** Null: none; default: the scripted model. */
  endpoint?: string | null;
  /** The provider whose address `endpoint` replaces; default: `anthropic`. */
  vendor?: 'anthropic' | 'openai';
  /** A process of its own, which the test may kill; else it may be one that has run, or runs, other homes too. */
  ownProcess?: boolean;
  /** A browser context of its own, for a test that changes the clock of the page, or what comes to it. */
  ownContext?: boolean;
  /** Further variables of the program. */
  env?: Readonly<Record<string, string>>;
  /** What is done on the machine before the program starts; it returns how that is ended. */
  before?: (machine: Machine) => Promise<() => Promise<unknown>>;
}

type Machine = Pick<SurfaceOptions, 'home' | 'workspace' | 'env'>;

const FILES = {
  'README.md': '# Sample\n\nA small project.\n',
  'src/sum.js': 'export const sum = (a, b) => a + b;\n',
};

/** The person at the first tab or window, with what stands behind it. */
export class App extends Person {
  readonly model: FakeModel;
  readonly complaints: Complaints;
  readonly workspace: string;
  readonly home: string;
  readonly #surface: Surface;

  constructor(parts: { surface: Surface; model: FakeModel; complaints: Complaints; workspace: string; home: string }) {
    super(parts.surface.page);
    this.model = parts.model;
    this.complaints = parts.complaints;
    this.workspace = parts.workspace;
    this.home = parts.home;
    this.#surface = parts.surface;
  }

  override get page(): Page {
    return this.#surface.page;
  }

  /** Where the app is at the moment. */
  get path(): string {
    return new URL(this.page.url()).pathname;
  }

  /** Goes to a path of the app by its address, as a bookmark would. */
  async goto(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.page.url()).href);
  }

  /** Leads to a new conversation; what is written before its page is there would be written elsewhere. */
  async newConversation(): Promise<void> {
    await this.page.getByRole('link', { name: 'New conversation' }).click();
    await expect(this.page.getByLabel('Folder', { exact: true })).toBeVisible();
  }

  /** The machine around the app; only of the desktop. */
  get desktop(): Desktop {
    if (this.#surface.desktop === null) throw new Error('A browser has no desktop');
    return this.#surface.desktop;
  }

  /** What the program wrote to stderr. */
  notes(): string {
    return this.#surface.notes();
  }

  /** A person at another tab or window of the same app. */
  async secondTab(path = '/'): Promise<Person> {
    return new Person(await this.#surface.another(path));
  }

  /** The program dies in the middle of whatever it does, and is started again on the same home; needs `ownProcess`. */
  crashAndRestart(): Promise<void> {
    return this.#surface.crashAndRestart();
  }
}

export interface StartedApp {
  app: App;
  /** Ends the program, the model and their folder. */
  close: () => Promise<void>;
}

export async function startApp(
  { open, complaints }: { open: OpenSurface; complaints: Complaints },
  script: Script,
  options: AppOptions = {},
): Promise<StartedApp> {
  const ends: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'triad-e2e-')));
    ends.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    const [home, workspace] = [join(folder, 'home'), join(folder, 'workspace')];
    await writeFiles(workspace, { ...FILES, ...options.files });
    const model = await startFakeModel(script, options.model);
    ends.push(() => model.close());
    const { apiKey = 'test-key', endpoint = model.url, ownProcess = false, ownContext = false } = options;
    const env = {
      ...(apiKey === null ? {} : { ANTHROPIC_API_KEY: apiKey }),
      ...(endpoint === null ? {} : endpointVariable(endpoint, options.vendor)),
      ...options.env,
    };
    if (options.before) ends.push(await options.before({ home, workspace, env }));
    const surface = await open({ home, workspace, env, complaints, ownProcess, ownContext });
    ends.push(() => surface.close());
    return { app: new App({ surface, model, complaints, workspace, home }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function endpointVariable(endpoint: string, vendor: AppOptions['vendor']): Record<string, string> {
  return vendor === 'openai' ? { OPENAI_BASE_URL: `${endpoint}/v1` } : { ANTHROPIC_BASE_URL: endpoint };
}

async function writeFiles(folder: string, files: NonNullable<AppOptions['files']>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
