/**
 * The worker that colours code: what it takes never holds up a frame of the page. It answers each `CodeAsked` with a
 * `CodeColoured`, in order.
 */
import type { HighlighterCore, LanguageRegistration, ThemedToken } from 'shiki/core';

export interface ColouredToken {
  text: string;
  light: string;
  dark: string;
}

export interface CodeAsked {
  id: number;
  code: string;
  language: string;
}

export interface CodeColoured {
  id: number;
  /** Null: it stays plain. */
  lines: ColouredToken[][] | null;
}

type Loader = () => Promise<{ default: LanguageRegistration[] }>;

const LANGUAGES: Readonly<Record<string, Loader>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  svelte: () => import('shiki/langs/svelte.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};

const ALIASES: Readonly<Record<string, string>> = {
  'c++': 'c',
  cc: 'c',
  cjs: 'javascript',
  cpp: 'c',
  'c#': 'csharp',
  cs: 'csharp',
  cts: 'typescript',
  h: 'c',
  hpp: 'c',
  htm: 'html',
  js: 'javascript',
  jsx: 'tsx',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** Colours of the themes that cannot be read on the page, or on the grounds of a difference, and what stands for them. */
const READABLE = {
  'github-light-default': { '#6e7781': '#57606a', '#8250df': '#6639ba', '#f6f8fa': '#82071e', '#eaeef2': '#1f2328' },
  'github-dark-default': { '#161b22': '#ffa198' },
};

/** Longer code stays plain: it would be as many elements of the page. */
const MAX_UNITS = 50_000;

let core: Promise<HighlighterCore> | null = null;
let last: Promise<void> = Promise.resolve();

addEventListener('message', ({ data }: MessageEvent<CodeAsked>) => {
  last = last.then(async () => {
    const lines = await coloured(data.code, data.language).catch(() => null);
    postMessage({ id: data.id, lines } satisfies CodeColoured);
  });
});

async function coloured(code: string, language: string): Promise<ColouredToken[][] | null> {
  const name = ALIASES[language.toLowerCase()] ?? language.toLowerCase();
  const load = LANGUAGES[name];
  if (!load || code.length > MAX_UNITS) return null;
  core ??= createCore();
  const highlighter = await core;
  await highlighter.loadLanguage((await load()).default);
  const { tokens } = highlighter.codeToTokens(code, {
    lang: name,
    themes: { light: 'github-light-default', dark: 'github-dark-default' },
    defaultColor: false,
    colorReplacements: READABLE,
    // For a line: the first one of a language loads much, and a busy machine must not show other colours.
    tokenizeTimeLimit: 10_000,
  });
  return tokens.map((line) => line.reduce<ColouredToken[]>(withToken, []));
}

/** Blanks have no colour of their own, and neighbours of one colour are one. */
function withToken(line: ColouredToken[], { content, htmlStyle }: ThemedToken): ColouredToken[] {
  const light = htmlStyle?.['--shiki-light'] ?? 'inherit';
  const dark = htmlStyle?.['--shiki-dark'] ?? 'inherit';
  const last = line.at(-1);
  if (last && (content.trim() === '' || (last.light === light && last.dark === dark))) last.text += content;
  else line.push({ text: content, light, dark });
  return line;
}

/** The engine in JavaScript: WebAssembly would need a wider content security policy. */
async function createCore(): Promise<HighlighterCore> {
  const [{ createHighlighterCore }, { createJavaScriptRegexEngine }, light, dark] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
    import('shiki/themes/github-light-default.mjs'),
    import('shiki/themes/github-dark-default.mjs'),
  ]);
  return createHighlighterCore({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    langs: [],
    themes: [light.default, dark.default],
  });
}
