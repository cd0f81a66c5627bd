/** The environment of a command: what programs need to run, and nothing that opens a door to something else. */
import { type Environment, withoutSecrets } from '../../base/child-environment.ts';

/** Addresses of agents, buses, screens and editors that would do something for whoever asks. */
const DOORS =
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_CONNECTION|SSH_ASKPASS|GPG_AGENT_INFO|DBUS_.*|DISPLAY|WAYLAND_.*|XAUTHORITY|XDG_RUNTIME_DIR|XDG_SESSION_.*|SESSION_MANAGER|ICEAUTHORITY|DOCKER_HOST|CONTAINER_HOST|GIT_ASKPASS|SUDO_.*|VSCODE_.*|TMUX|TMUX_PANE|STY|I3SOCK|SWAYSOCK|GNOME_KEYRING_.*|WSL_INTEROP)$/i;
/** What makes a program run or load something that nobody named in the command. */
const CODE =
  /^(LD_.*|DYLD_.*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|BASH_FUNC_.*|NODE_OPTIONS|ELECTRON_.*|PYTHONSTARTUP|PERL5OPT|RUBYOPT|GIT_(EXEC_PATH|SSH|SSH_COMMAND|EXTERNAL_DIFF|PROXY_COMMAND|CONFIG.*|DIR|WORK_TREE|INDEX_FILE))$/i;
/** Other names of secrets, beyond those that every child is spared. */
const SECRET = /(^|_)(PWD|PAT|AUTH|CREDS?|COOKIES?|JWT|DSN)(_|$)|PASS$/i;
/** A user and a password in an address. */
const ADDRESS = /:\/\/[^/\s@]*:[^/\s@]+@/;

/** `temporary`: the folder for temporary files that it may use. */
export function commandEnvironment(env: Environment, temporary: string | null): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(withoutSecrets(env))) {
    if (value === undefined || DOORS.test(name) || CODE.test(name) || ADDRESS.test(value)) continue;
    if (SECRET.test(name) || name === 'OLDPWD') continue;
    kept[name] = value;
  }
  // Nobody answers a question of git, and there is no screen to draw on.
  const fixed = { TERM: 'dumb', GIT_TERMINAL_PROMPT: '0' };
  if (temporary === null) return { ...kept, ...fixed };
  return { ...kept, ...fixed, TMPDIR: temporary, TMP: temporary, TEMP: temporary };
}
