/** `triad serve` with a page of its own instead of the built app: `node app-process.ts PAGES [OPTION…]`. */
import { connect } from '#hosts/connect.ts';
import { Interruption } from '#hosts/cli/terminal/failure.ts';
import { main } from '#hosts/cli/program.ts';
import { createScreen } from '#hosts/cli/terminal/screen.ts';

const [webRoot = '', ...args] = process.argv.slice(2);
const { env, stdin, stdout, stderr } = process;
const controller = new AbortController();
process.on('SIGTERM', () => controller.abort(new Interruption('SIGTERM')));
const screen = createScreen(stdout, stderr, env, () => controller.abort(new Interruption('EPIPE')));
const { signal } = controller;
const folder = process.cwd();
const code = await main(['serve', '--port', '0', ...args], {
  env,
  folder,
  webRoot,
  stdin,
  screen,
  signal,
  openTerminal: async () => null,
  connect: ({ works }) => connect({ env, folder, signal, works, note: (line) => screen.note(line) }),
});
await screen.flush();
process.exit(code);
