/**
 * The page of the printed URL. It has an origin that no program has served before, so no service worker sees the token.
 * The page makes the browser clear the origin of the app, and then opens that origin with the token.
 */
import { createHash } from 'node:crypto';
import { CLEAR_PATH } from '#contract/entry.ts';
import { securityHeaders } from '#core/host/ownership/site/headers.ts';

export interface SignInPage {
  headers: Readonly<Record<string, string>>;
  html: string;
}

export function buildSignInPage(appOrigin: string): SignInPage {
  const script = `
const app = document.documentElement.dataset.app;
const { pathname, hash } = location;
fetch(app + '${CLEAR_PATH}', { method: 'GET', mode: 'cors', credentials: 'include', cache: 'no-store' })
  .then((answer) => { if (!answer.ok) throw new Error(String(answer.status)); })
  .then(() => location.replace(app + pathname + hash))
  .catch(() => { document.querySelector('main').hidden = false; });
`;
  const html = `<!doctype html>
<html lang="en" data-app="${appOrigin}">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Triad</title>
<main hidden>
<p>This address could not be prepared. Check that Triad runs, then reload this page.</p>
<p lang="fr">Cette adresse n’a pas pu être préparée. Vérifiez que Triad fonctionne, puis rechargez cette page.</p>
</main>
<script>${script}</script>
</html>
`;
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = [
    `default-src 'none'; script-src 'sha256-${hash}'; connect-src ${appOrigin}; img-src data:`,
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  ].join('; ');
  const headers = {
    ...securityHeaders(policy),
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(html)),
    'Cache-Control': 'no-store',
  };
  return { headers, html };
}

/** Returns headers that make the browser delete storage, service workers and cache of the app's origin, if `mustClear`. */
export function buildClearingHeaders(signInOrigin: string, mustClear: boolean): Record<string, string> {
  return {
    ...securityHeaders(null),
    'Access-Control-Allow-Origin': signInOrigin,
    'Access-Control-Allow-Credentials': 'true',
    'Cache-Control': 'no-store',
    ...(mustClear ? { 'Clear-Site-Data': '"storage", "cache"' } : {}),
  };
}
