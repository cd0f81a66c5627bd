/** The environment of a command: an allowlist of variables, none of which loads code, opens a connection or holds a secret. */
import { type Environment, isSecretName } from '../../base/child-environment.ts';
import { redact } from '../../base/redact.ts';

const PASSED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'TERM', 'COLORTERM', 'TZ', 'TMPDIR', 'SHELL', 'CI'],
  // Windows and macOS: where the system is.
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'OS', 'TEMP', 'TMP', 'USERPROFILE', 'USERNAME'],
  ...['HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)'],
  ...['PROCESSOR_ARCHITECTURE', 'NUMBER_OF_PROCESSORS', 'DEVELOPER_DIR', 'SDKROOT', 'MACOSX_DEPLOYMENT_TARGET'],
  ...['HOMEBREW_PREFIX', 'HOMEBREW_CELLAR', 'HOMEBREW_REPOSITORY', '__CF_USER_TEXT_ENCODING'],
  ...['NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE', 'DEBIAN_FRONTEND', 'SOURCE_DATE_EPOCH'],
  // Toolchains: where they are and how they build.
  ...['NVM_DIR', 'NVM_BIN', 'NVM_INC', 'VOLTA_HOME', 'ASDF_DIR', 'ASDF_DATA_DIR', 'FNM_DIR', 'NODE_ENV', 'DENO_DIR'],
  ...['BUN_INSTALL', 'COREPACK_HOME', 'PNPM_HOME', 'PYENV_ROOT', 'PYENV_VERSION', 'VIRTUAL_ENV', 'CONDA_PREFIX'],
  ...['CONDA_DEFAULT_ENV', 'PYTHONDONTWRITEBYTECODE', 'PYTHONUNBUFFERED', 'PYTHONUTF8', 'PYTHONIOENCODING'],
  ...['RBENV_ROOT', 'RBENV_VERSION', 'GEM_HOME', 'GEM_PATH', 'GOPATH', 'GOROOT', 'GOOS', 'GOARCH', 'GO111MODULE'],
  ...['CGO_ENABLED', 'RUSTUP_HOME', 'RUSTUP_TOOLCHAIN', 'RUST_BACKTRACE', 'CARGO_HOME', 'CARGO_TARGET_DIR'],
  ...['JAVA_HOME', 'JDK_HOME', 'MAVEN_HOME', 'M2_HOME', 'GRADLE_HOME', 'SDKMAN_DIR', 'ANDROID_HOME'],
  ...['ANDROID_SDK_ROOT', 'DOTNET_ROOT', 'DOTNET_CLI_TELEMETRY_OPTOUT', 'DOTNET_NOLOGO', 'CC', 'CXX', 'AR', 'LD'],
  ...['CFLAGS', 'CXXFLAGS', 'CPPFLAGS', 'LDFLAGS', 'MAKEFLAGS', 'CMAKE_PREFIX_PATH', 'PKG_CONFIG_PATH'],
  ...['NIX_PATH', 'NIX_PROFILES', 'NIX_SSL_CERT_FILE', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  ...['PLAYWRIGHT_BROWSERS_PATH', 'CHROME_BIN', 'GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME'],
  ...['GIT_COMMITTER_EMAIL', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
]);
/** Names of variables have no case on Windows. */
const normalizeName = (name: string): string => (process.platform === 'win32' ? name.toUpperCase() : name);
const PASSED_TOO = /^(LC_[A-Z]+|[a-z]+_proxy)$/;
/** A user and a password in an address. */
const ADDRESS = /:\/\/[^/\s@]*@/;
/** Values that are too short would be found by chance. */
const MIN_SECRET_CHARS = 8;

/**
 * Returns the variables that a command gets. `temporary`: its folder for temporary files; null for that of the person. No
 * value is passed that is a secret elsewhere in the environment, or that Triad redacts. `more`: variables from the settings.
 */
export function commandEnvironment(
  env: Environment,
  temporary: string | null,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const secrets = new Set(
    Object.entries(env).flatMap(([name, value = '']) =>
      isSecretName(name) && value.length >= MIN_SECRET_CHARS ? [value] : [],
    ),
  );
  const isHarmless = (value: string): boolean => !ADDRESS.test(value) && !secrets.has(value) && redact(value) === value;
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && (PASSED.has(normalizeName(name)) || PASSED_TOO.test(name)) && isHarmless(value))
      passed[name] = value;
  for (const [name, value] of Object.entries(more)) if (isHarmless(value)) passed[name] = value;
  // Nobody answers a question of git, and there is no screen to draw on.
  const fixed = { TERM: 'dumb', GIT_TERMINAL_PROMPT: '0' };
  if (temporary === null) return { ...passed, ...fixed };
  return { ...passed, ...fixed, TMPDIR: temporary, TMP: temporary, TEMP: temporary };
}

/** Returns the variables that no shell takes for code. */
export function plainVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  const isPlain = ([name, value]: [string, string]): boolean => /^\w+$/.test(name) && !value.startsWith('()');
  return Object.fromEntries(Object.entries(variables).filter(isPlain));
}
