/** A test's app: a scripted model, the real host as a process, a page in a real browser, and verbs for a person. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import type { Script } from '../../tests/support/fake-model/script.ts';
import {
  type FakeModel,
  type FakeModelOptions,
  startFakeModel,
} from '../../tests/support/fake-model/server.ts';
import type { Complaints } from './complaints.ts';
import { type Host, startHost } from './host.ts';
import { Person } from './person.ts';

export interface AppOptions {
  model?: FakeModelOptions;
  /** Files of the workspace, added to the usual ones. */
  files?: Readonly<Record<string, string>>;
  /** Null: none, as at the very first start. */
  apiKey?: string | null;
  /** Null: none; default: the scripted model. */
  endpoint?: string | null;
}

const FILES = {
  'README.md': '# Sample\n\nA small project.\n',
  'src/sum.js': 'export const sum = (a, b) => a + b;\n',
};

/** The person at the first tab, with what stands behind it. */
export class App extends Person {
  readonly model: FakeModel;
  readonly complaints: Complaints;
  readonly workspace: string;
  readonly #context: BrowserContext;
  readonly #startAgain: (port: number) => Promise<Host>;
  host: Host;

  constructor(parts: {
    context: BrowserContext;
    page: Page;
    model: FakeModel;
    host: Host;
    complaints: Complaints;
    workspace: string;
    startAgain: (port: number) => Promise<Host>;
  }) {
    super(parts.page);
    this.model = parts.model;
    this.host = parts.host;
    this.complaints = parts.complaints;
    this.workspace = parts.workspace;
    this.#context = parts.context;
    this.#startAgain = parts.startAgain;
  }

  /** A person at another tab of the same browser. */
  async secondTab(path = '/'): Promise<Person> {
    const page = await this.#context.newPage();
    await page.goto(`${this.host.origin}${path}`);
    return new Person(page);
  }

  /** The host dies in the middle of whatever it does, and is started again on the same home and port. */
  async crashAndRestart(): Promise<void> {
    await this.host.crash();
    this.host = await this.#startAgain(this.host.port);
  }
}

export interface StartedApp {
  app: App;
  /** Ends the host, the model and their folder. */
  close: () => Promise<void>;
}

export async function startApp(
  { context, page, complaints }: { context: BrowserContext; page: Page; complaints: Complaints },
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
    const workspace = join(folder, 'workspace');
    await writeFiles(workspace, { ...FILES, ...options.files });
    const model = await startFakeModel(script, options.model);
    ends.push(() => model.close());
    const { apiKey = 'test-key', endpoint = model.url } = options;
    const env = {
      ...(apiKey === null ? {} : { ANTHROPIC_API_KEY: apiKey }),
      ...(endpoint === null ? {} : { ANTHROPIC_BASE_URL: endpoint }),
    };
    const startAgain = async (port: number): Promise<Host> => {
      const host = await startHost({ home: join(folder, 'home'), workspace, env, port });
      ends.push(() => host.stop());
      return host;
    };
    const host = await startAgain(0);
    await page.goto(host.url);
    return { app: new App({ context, page, model, host, complaints, workspace, startAgain }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
