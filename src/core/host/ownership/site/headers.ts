/** The security headers of every response, and the content security policy that the build wrote into the page. */

/** The policy of responses without a page: nothing may be loaded or run. */
const CLOSED = "default-src 'none'; base-uri 'none'; form-action 'none'";

const FIXED: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

/** `policy`: the page's own; only a header can forbid framing. */
export function securityHeaders(policy: string | null): Record<string, string> {
  return { ...FIXED, 'Content-Security-Policy': `${policy ?? CLOSED}; frame-ancestors 'none'` };
}

/** The policy in a page's meta element, with the hash of its start script; null where it has none. */
export function policyOf(html: string): string | null {
  const element = /<meta\s[^>]*http-equiv="content-security-policy"[^>]*>/i.exec(html)?.[0];
  const content = element === undefined ? undefined : /\scontent="([^"]*)"/i.exec(element)?.[1];
  if (content === undefined) return null;
  return content.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&').trim().replace(/;+$/, '');
}
