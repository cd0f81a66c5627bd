/** Where each setting stands on the settings page: its section, its group there, and what is written elsewhere. Pure. */

export const SECTIONS = [
  'providers',
  'models',
  'limits',
  'approvals',
  'tools',
  'mcp',
  'data',
  'appearance',
  'attention',
  'desktop',
  'shortcuts',
  'telemetry',
  'security',
] as const;
export type SectionId = (typeof SECTIONS)[number];

/** Every path fits exactly one: a test holds that of the whole schema. */
const PLACES: Readonly<Record<SectionId, RegExp | null>> = {
  providers: /^providers\.(?!.+\.web_search$)/,
  models: /^models\./,
  limits: /^(limits\.(?!approval_seconds$)|context\.)/,
  approvals: /^(permissions\.|approvals\.|limits\.approval_seconds$)/,
  tools: /^(web\.|sandbox\.|providers\..+\.web_search$)/,
  mcp: /^mcp\./,
  data: /^(sessions|backups|history|updates)\./,
  appearance: /^appearance\./,
  attention: /^attention\./,
  desktop: /^desktop\./,
  shortcuts: null,
  telemetry: /^(telemetry|redact)\./,
  security: null,
};

/** From the table of another section: there it comes after what is of its own. */
export const isBorrowed = (path: string): boolean =>
  /^(limits\.approval_seconds|providers\..+\.web_search)$/.test(path);

/** All sections whose place a path fits. */
export function sectionsOf(path: string): SectionId[] {
  return SECTIONS.filter((section) => PLACES[section]?.test(path));
}

/** A path that fits none is with what is kept, so that nothing is out of reach. */
export function sectionOf(path: string): SectionId {
  return sectionsOf(path)[0] ?? 'data';
}

export function asSection(name: string | null): SectionId | null {
  return SECTIONS.find((one) => one === name) ?? null;
}

/** The heading above a setting within its section; null for none. `name`: of the provider that it is about. */
export type SettingGroup =
  | { kind: 'run' | 'workflow' | 'agents' | 'context' | 'aliases' | 'search' | 'sessions' | 'backups' }
  | { kind: 'provider'; name: string };

const GROUPS: readonly (readonly [RegExp, Exclude<SettingGroup['kind'], 'provider'>])[] = [
  [/^limits\.run\./, 'run'],
  [/^limits\.workflow\./, 'workflow'],
  [/^limits\.(?!approval_seconds$)/, 'agents'],
  [/^context\./, 'context'],
  [/^models\.aliases\./, 'aliases'],
  [/^(web\.search\.|providers\..+\.web_search$)/, 'search'],
  [/^sessions\./, 'sessions'],
  [/^backups\./, 'backups'],
];

export function groupOf(path: string): SettingGroup | null {
  const kind = GROUPS.find(([place]) => place.test(path))?.[1];
  if (kind !== undefined) return { kind };
  const name = /^providers\.([^.]+)\../.exec(path)?.[1];
  return name === undefined ? null : { kind: 'provider', name };
}

export const groupKey = (group: SettingGroup | null): string =>
  group === null ? '' : group.kind === 'provider' ? `provider:${group.name}` : group.kind;

/** Consecutive rows of one group. */
export function grouped<R extends { path: string }>(rows: readonly R[]): { group: SettingGroup | null; rows: R[] }[] {
  return [...Map.groupBy(rows, ({ path }) => groupKey(groupOf(path)))].map(([, some]) => ({
    group: groupOf(some[0]!.path),
    rows: some,
  }));
}

/** Lists and tables, which are no single values: a page has them, or only the file. */
export const LISTS = {
  'models.enabled': null,
  'permissions.rules': '/permissions',
  'permissions.always_ask': null,
  'permissions.secret_files': null,
  'web.private_hosts': null,
  'sandbox.readable': null,
  'sandbox.env': null,
  'mcp.servers': '/mcp',
  'history.filters': '/history',
  'redact.patterns': null,
  'redact.env': null,
} as const satisfies Readonly<Record<string, '/permissions' | '/mcp' | '/history' | null>>;
export type ListPath = keyof typeof LISTS;
export const LIST_PATHS = Object.keys(LISTS) as ListPath[];

/** Who answers, and where, is changed with an eye on the key that goes there: in the form of the provider. */
export function isOfProviderForm(path: string): boolean {
  return /^providers\.(active|[^.]+\.base_url|(?!anthropic\.)[^.]+\.defaults\.model)$/.test(path);
}

/** Where what an address asks for stands: a section itself, a part, or the path of a setting. */
export function sectionAt(at: string): SectionId {
  if (at.startsWith('keys.')) return 'shortcuts';
  const part = PART_IDS.find((one) => one === at);
  return asSection(at) ?? (part === undefined ? sectionOf(at) : PARTS[part]);
}

/** Parts of the page that are no settings of the file, by section; `browsers` is there in a browser alone. */
export const PARTS = {
  keys: 'providers',
  searchKey: 'tools',
  memory: 'data',
  trash: 'data',
  language: 'appearance',
  theme: 'appearance',
  contrast: 'appearance',
  textSize: 'appearance',
  shortcuts: 'shortcuts',
  keyPlace: 'security',
  protections: 'security',
  contacted: 'security',
  browsers: 'security',
} as const satisfies Readonly<Record<string, SectionId>>;
export type PartId = keyof typeof PARTS;
export const PART_IDS = Object.keys(PARTS) as PartId[];
