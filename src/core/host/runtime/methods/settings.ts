/** The methods of settings by dotted path, with where each value comes from. */
import type { AgentFiles } from '#core/agents/files.ts';
import { canonicalFolder } from '#core/base/disk-lookups.ts';
import { TriadError } from '#core/base/errors.ts';
import type { Engine } from '#core/runs/engine.ts';
import { resolveModel } from '#core/model/model-names.ts';
import { placeOf } from '#core/model/providers/place.ts';
import type { Providers } from '#core/model/providers/providers.ts';
import type { LiveSettings } from '#core/settings/live-settings.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { normalizePath } from '#core/settings/dotted-path.ts';
import { manyValues, noSetting, settingRow, settingRows } from '#core/settings/settings.ts';
import { agentPathOf, explainAgents, setAgentKey } from '../config/agent-keys.ts';
import { explainSettings, type ExplainPorts } from '../config/explain.ts';
import type { Handlers } from './handlers.ts';

export interface SettingMethodPorts {
  engine: Engine;
  settings: LiveSettings;
  /** The default folder. */
  home: string;
  files: () => Promise<AgentFiles>;
  providers: Pick<Providers, 'states' | 'set'>;
  telemetry: Pick<Telemetry, 'state'>;
}

type Mine = 'settings.list' | 'settings.set' | 'settings.explain' | 'agents.set';

export function settingMethods(ports: SettingMethodPorts): Pick<Handlers, Mine> {
  const { engine, settings, home, files, providers, telemetry } = ports;
  const { file } = settings;
  return {
    'settings.list': () => settingRows(settings),
    'settings.set': async ({ path: written, value }) => {
      const path = normalizePath(written);
      // Rejects an unknown model now rather than with the next message.
      if (path === 'models.default' && typeof value === 'string') resolveModel(value, settings.models.aliases);
      const [, name, key] = /^providers\.([^.]+)\.(.+)$/.exec(path) ?? [];
      // No provider begins with one key: it needs its type and its address at once.
      if (name !== undefined) placeOf(name, settings, { baseUrl: undefined });
      // An address is changed with an eye on the key that would go there.
      if (name !== undefined && key === 'base_url' && (value === null || typeof value === 'string'))
        await providers.set({ name, baseUrl: value ?? '' });
      else await settings.set(path, value);
      return settingRows(settings);
    },
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
