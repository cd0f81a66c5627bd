/** Serves the built web client: a path names a file of one folder, the app's page, or nothing. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { policyOf, securityHeaders } from './headers.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

export interface WebFile {
  status: 200 | 404;
  headers: Readonly<Record<string, string>>;
  /** The text, or the path of a file to send. */
  body: string | { path: string };
}

/** `root` is canonical. 404 for a missing file, the page for a path without an extension. */
export async function webFile(root: string, url: string): Promise<WebFile> {
  const page = await readFile(join(root, 'index.html'), 'utf8');
  const safe = securityHeaders(policyOf(page));
  const path = pathOf(url);
  const file = path === null || path === '/' ? null : await fileIn(root, path);

  if (file !== null && file.path !== join(root, 'index.html')) {
    const headers = {
      ...safe,
      'Content-Type': TYPES[extname(file.path).toLowerCase()] ?? 'application/octet-stream',
      'Content-Length': String(file.size),
      // Names of immutable files carry a hash of their content.
      'Cache-Control': path?.startsWith('/_app/immutable/') ? 'private, max-age=31536000, immutable' : 'no-cache',
    };
    return { status: 200, headers, body: { path: file.path } };
  }
  const missing = path === null || (path !== '/index.html' && extname(path) !== '');
  const body = missing ? 'Not found.\n' : page;
  const headers = {
    ...safe,
    'Content-Type': missing ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-cache',
  };
  return { status: missing ? 404 : 200, headers, body };
}

/** The decoded path of a request; null for one that names no file in any reading: dot segments, backslashes, NUL. */
export function pathOf(url: string): string | null {
  try {
    const path = decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '');
    const odd = !path.startsWith('/') || path.includes('\0') || path.includes('\\');
    return odd || path.split('/').some((segment) => segment === '..' || segment === '.') ? null : path;
  } catch {
    return null;
  }
}

/** A regular file under the root, also after symbolic links were followed. */
async function fileIn(root: string, path: string): Promise<{ path: string; size: number } | null> {
  try {
    const real = await realpath(join(root, path));
    if (!real.startsWith(root + sep)) return null;
    const found = await stat(real);
    return found.isFile() ? { path: real, size: found.size } : null;
  } catch {
    return null;
  }
}
