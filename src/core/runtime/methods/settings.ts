/** The methods of settings by dotted path, with where each value comes from. */
import type { AgentFiles } from '../../agents/files.ts';
import { canonicalFolder } from '../../base/canonical-folder.ts';
import { TriadError } from '../../base/errors.ts';
import type { Engine } from '../../runs/engine.ts';
import type { Providers } from '../../model/providers/providers.ts';
import type { LiveSettings } from '../../settings/live-settings.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { normalizePath } from '../../settings/dotted-path.ts';
import { manyValues, noSetting, settingRow, settingRows } from '../../settings/settings.ts';
import { agentPathOf, explainAgents, setAgentKey } from '../config/agent-keys.ts';
import { explainSettings, type ExplainPorts } from '../config/explain.ts';
import type { Handlers } from './handlers.ts';

export interface SettingMethodPorts {
  engine: Engine;
  settings: LiveSettings;
  /** The default folder. */
  home: string;
  files: () => Promise<AgentFiles>;
  providers: Pick<Providers, 'states'>;
  telemetry: Pick<Telemetry, 'state'>;
}

export function settingMethods(ports: SettingMethodPorts): Pick<Handlers, 'settings.explain' | 'agents.set'> {
  const { engine, settings, home, files, providers, telemetry } = ports;
  const { file } = settings;
  return {
    'settings.explain': async ({ folder, path }) => {
      const place = await canonicalFolder(folder ?? home);
      const ofAgent = path === undefined ? null : agentPathOf(path);
      if (ofAgent) return explainAgents(engine, place, ofAgent);
      const environment = environmentOf(await providers.states(), await telemetry.state());
      return explainSettings({ engine, file, environment }, place, rowsAt(settings, path));
    },
    'agents.set': async ({ folder, ...change }) =>
      setAgentKey({ engine, files: await files() }, await canonicalFolder(folder ?? home), change),
  };
}

/** Of one setting, of a group, or all. */
function rowsAt(settings: LiveSettings, written: string | undefined) {
  const rows = settingRows(settings);
  if (written === undefined) return rows;
  const path = normalizePath(written);
  const found = rows.filter((row) => row.path === path || row.path.startsWith(`${path}.`));
  if (found.length > 0) return found;
  // A table that nobody has named yet has defaults.
  const row = settingRow(settings, path);
  if (row !== null) return [row];
  throw manyValues(path, settings.file)?.includes(' is a group ')
    ? new TriadError('bad_input', `${path} has nothing in it yet`)
    : noSetting(path, settings.file);
}

/** What the environment says of settings, by path. */
function environmentOf(
  states: Awaited<ReturnType<Providers['states']>>,
  { endpoint, source }: Awaited<ReturnType<Telemetry['state']>>,
): ExplainPorts['environment'] {
  const collector = source === 'environment' && endpoint !== null ? endpoint : null;
  return new Map<string, { variable: string; value: string }>([
    ...states.flatMap(({ name, baseUrl, baseUrlSource }) =>
      baseUrlSource === 'environment' && baseUrl !== null
        ? [[`providers.${name}.base_url`, { variable: `${name.toUpperCase()}_BASE_URL`, value: baseUrl }] as const]
        : [],
    ),
    ...(collector === null
      ? []
      : [['telemetry.endpoint', { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: collector }] as const]),
  ]);
}
