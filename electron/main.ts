/** The composition root of the desktop: folders → one instance → windows → runtime; nothing here decides anything. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import { takeSecrets } from '#core/base/child-environment.ts';
import { errorInfo } from '#core/base/errors.ts';
import { redact } from '#core/base/redact.ts';
import { languageIn } from '#contract/messages/language.ts';
import { folders } from '#core/settings/folders.ts';
import { type Connected, connectOrOwn } from '#core/host/ownership/connect-or-own.ts';
import manifest from '../package.json' with { type: 'json' };
import { declareScheme, serveBundle } from './app-protocol.ts';
import { Attachment } from './attachment.ts';
import { appUpdates } from './desktop/app-updates.ts';
import { DeepLinks, linkIn } from './desktop/deep-links.ts';
import { Desktop } from './desktop/desktop.ts';
import { lastPlace } from './desktop/last-place.ts';
import { DesktopLog } from './desktop/desktop-log.ts';
import { OutsideLinks } from './desktop/outside-link.ts';
import { ownItems } from './desktop/own-items.ts';
import { SecurityFacts, withShell } from './desktop/security-state.ts';
import { isFirstInstance } from './desktop/single-instance.ts';
import { followTroubles } from './desktop/trouble.ts';
import { guardPages } from './guards.ts';
import { Ipc } from './ipc.ts';
import { Refusals } from './desktop/refusals.ts';
import { systemSecrets } from './secrets.ts';
import { speak, text } from './text.ts';
import { Windows } from './windows.ts';

// The browser that opens a link inherits the environment of this process: its keys go first.
const env = takeSecrets(process.env);
const here = import.meta.dirname;
const root = join(here, '../..');
const { config, data } = await folders(env);
const log = new DesktopLog(join(data, 'desktop', 'desktop.log'));
const report = (line: string) => {
  process.stderr.write(`triad: ${redact(line)}\n`);
  log.note(line);
};
app.setName(text().name);
// Also what the lock of the one instance hangs on: one desktop for each data folder.
app.setPath('userData', join(data, 'desktop'));
const place = lastPlace(data);
let desktop: Desktop | null = null;
const refusals = new Refusals(report);
const facts = new SecurityFacts(refusals);
const ipc = new Ipc({
  report,
  refusals,
  onTold: (contents, told) => facts.told(contents, told),
  onLanguage: (tag) => {
    const language = languageIn(tag);
    if (language !== null && speak(language)) desktop?.speak();
  },
});
const windows = new Windows({
  preload: join(here, 'preload.cjs'),
  onPlace: (path) => place.note(path),
  admit: (contents) => {
    ipc.admit(contents);
    followTroubles(contents, { report, log: () => log.read() });
  },
});

const links = new DeepLinks((to) => windows.lead(to));

if (isFirstInstance(secondStart)) {
  app.enableSandbox();
  declareScheme();
  // Not awaited: Electron gets ready only after this module was run.
  app.whenReady().then(start).catch(fail);
} else app.exit(0);

async function start(): Promise<void> {
  // At once: a window that a second start opens is guarded too.
  serveBundle(realpathSync(join(root, 'build')), refusals);
  guardPages({ refusals, links: new OutsideLinks(refusals) });
  const updates = appUpdates({ data, isRemote: Boolean(env['TRIAD_STORE']), report });
  const shell = (desktop = new Desktop({
    windows,
    trayIcon: join(root, 'build/tray.png'),
    quit: {
      isOwner: () => attachment.isOwner,
      first: async () => updates?.prepareToQuit(),
      end: async () => {
        await place.flush();
        await attachment.close();
        refusals.flush();
        await log.flush();
      },
      leave: () => updates?.leave() ?? false,
    },
    menuItems: (changed) => ownItems(updates, env, changed),
    fail,
  }));
  const attachment = new Attachment({
    connect,
    use: (client) => {
      const around = shell.use(client);
      ipc.use(around && withShell(around, facts));
      updates?.follow(client).catch(() => undefined);
    },
  });
  const last = await place.read();
  if (!links.start(process.argv)) windows.open(last);
  await attachment.run();
}

/** What the second one was given goes on here. */
function secondStart(args: readonly string[]): void {
  const link = linkIn(args);
  if (link !== undefined && links.open(link)) return;
  // Before that a window comes anyway.
  if (desktop !== null) windows.show();
}

async function connect(signal: AbortSignal): Promise<Connected> {
  return connectOrOwn({
    signal,
    report,
    warn: report,
    version: manifest.version,
    works: true,
    folders: { config, data },
    folder: env['INIT_CWD'] || process.cwd(),
    secrets: await systemSecrets(config),
    environment: {
      apiKey: env['ANTHROPIC_API_KEY'] || undefined,
      baseUrl: env['ANTHROPIC_BASE_URL'] || undefined,
      storeUrl: env['TRIAD_STORE'] || undefined,
      programs: env,
    },
  });
}

function fail(error: unknown): void {
  const { message } = errorInfo(error);
  report(message);
  dialog.showErrorBox(text().failed, message);
  void log.flush().finally(() => app.exit(1));
}
