/** Serves the built web client from one folder, and its page for every path that is not a file. */
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
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

/** `root` is canonical. Answers 404 for a missing file, and the page for a path without an extension. */
export async function serveFile(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const page = await readFile(join(root, 'index.html'), 'utf8');
  const headers = securityHeaders(policyOf(page));
  const path = pathOf(request.url ?? '/');
  const file = path === null || path === '/' ? null : await fileIn(root, path);

  if (file !== null && file.path !== join(root, 'index.html')) {
    response.writeHead(200, {
      ...headers,
      'Content-Type': TYPES[extname(file.path).toLowerCase()] ?? 'application/octet-stream',
      'Content-Length': file.size,
      // Names of immutable files carry a hash of their content.
      'Cache-Control': path?.startsWith('/_app/immutable/')
        ? 'private, max-age=31536000, immutable'
        : 'no-cache',
    });
    if (request.method === 'HEAD') response.end();
    else await pipeline(createReadStream(file.path), response);
    return;
  }
  if (path === null || (path !== '/index.html' && extname(path) !== '')) {
    const text = 'Not found.\n';
    response.writeHead(404, {
      ...headers,
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': text.length,
    });
    response.end(request.method === 'HEAD' ? undefined : text);
    return;
  }
  const length = Buffer.byteLength(page);
  response.writeHead(200, {
    ...headers,
    'Content-Type': TYPES['.html'],
    'Content-Length': length,
    'Cache-Control': 'no-cache',
  });
  response.end(request.method === 'HEAD' ? undefined : page);
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
