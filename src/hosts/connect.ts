/** The runtime for the Node hosts: the environment is read here, and keys lie in a file. */
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { folders } from '#core/settings/folders.ts';
import { type Connected, connectOrOwn } from '#core/host/ownership/connect-or-own.ts';
import type { HostingOptions } from '#core/host/ownership/options.ts';
import { pricesFile, settingsFile } from '#core/settings/guarded-files.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import { ownVersion } from './version.ts';

export interface ConnectOptions extends Pick<HostingOptions, 'folder' | 'works' | 'signal'> {
  env: Readonly<Record<string, string | undefined>>;
  note: (line: string) => void;
}

export async function connect({ env, note, ...rest }: ConnectOptions): Promise<Connected> {
  const [found, version] = await Promise.all([folders(env), ownVersion()]);
  const connecting = connectOrOwn({
    ...rest,
    folders: found,
    version,
    secrets: fileSecrets(found.config),
    warn: note,
    report: note,
    environment: {
      apiKey: env['ANTHROPIC_API_KEY'] || undefined,
      baseUrl: env['ANTHROPIC_BASE_URL'] || undefined,
      storeUrl: env['TRIAD_STORE'] || undefined,
      programs: env,
    },
  });
  return connecting.catch((error: unknown) => {
    const isWrongLine = [settingsFile, pricesFile].some((file) =>
      errorInfo(error).message.startsWith(`${file(found.config)}:`),
    );
    if (!(error instanceof TriadError) || !isWrongLine) throw error;
    throw new TriadError(error.code, `${error.message}; run "triad config validate"`, { cause: error });
  });
}
