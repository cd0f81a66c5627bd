/** What holds what a page could do, each with how it stands: as it was found by whom it concerns. Pure. */
import type { Fuse, SecurityState } from '#contract/hosts/security.ts';

/** `holds`: as it should be; `open`: not; `else`: up to the browser, or not to be known here. */
export type Standing = 'holds' | 'open' | 'else';

export type ProtectionId = 'sandbox' | 'isolation' | 'policy' | 'fuses' | 'commands';

/** How each fuse of a packaged app should stand; others as they come. */
const WANTED: Readonly<Partial<Record<Fuse['name'], boolean>>> = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
};

export const isFuseOpen = ({ name, on }: Fuse): boolean => WANTED[name] !== undefined && WANTED[name] !== on;

/** `policy`: the header with which the page was served; null where it had none. */
export function protectionsOf(
  { shell, commands }: SecurityState,
  policy: string | null,
): { id: ProtectionId; standing: Standing }[] {
  const told = (value: boolean | null | undefined): Standing =>
    value === null || value === undefined ? 'else' : value ? 'holds' : 'open';
  const fuses = Array.isArray(shell?.fuses) ? shell.fuses : null;
  return [
    { id: 'sandbox', standing: told(shell?.sandbox) },
    { id: 'isolation', standing: told(shell?.isolation) },
    { id: 'policy', standing: told(isStrict(policy)) },
    { id: 'fuses', standing: fuses === null ? 'else' : told(!fuses.some(isFuseOpen)) },
    { id: 'commands', standing: told(commands !== null) },
  ];
}

/** Nothing is loaded that is not named, no text becomes a script, and nobody frames the page. */
function isStrict(policy: string | null): boolean {
  if (policy === null) return false;
  const directives = new Map(
    policy.split(';').map((one) => {
      const [name = '', ...values] = one.trim().split(/\s+/);
      return [name.toLowerCase(), values] as const;
    }),
  );
  const script = directives.get('script-src') ?? directives.get('default-src') ?? ["'unsafe-inline'"];
  return (
    directives.get('default-src')?.join(' ') === "'none'" &&
    directives.get('frame-ancestors')?.join(' ') === "'none'" &&
    directives.get('require-trusted-types-for')?.includes("'script'") === true &&
    !script.some((value) => /^'unsafe-(inline|eval)'$|^(https?:|data:|blob:)?\*?$/i.test(value))
  );
}
