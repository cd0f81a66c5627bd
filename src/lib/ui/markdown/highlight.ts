/** Colours for code, loaded when the first code is shown: one language at a time. */
import type { HighlighterCore, LanguageRegistration } from 'shiki/core';
import { createContext } from 'svelte';

export interface ColouredToken {
  text: string;
  light: string;
  dark: string;
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
  cpp: 'c',
  'c#': 'csharp',
  cs: 'csharp',
  js: 'javascript',
  jsx: 'tsx',
  kt: 'kotlin',
  md: 'markdown',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** Longer code stays plain: colouring it would hold up the page. */
const MAX_UNITS = 50_000;

export class Highlighter {
  #core: Promise<HighlighterCore> | null = null;

  /** Tokens by line; null for an unknown language, or code of more than 50,000 UTF-16 code units. */
  async highlight(code: string, language: string): Promise<ColouredToken[][] | null> {
    const name = ALIASES[language.toLowerCase()] ?? language.toLowerCase();
    const load = LANGUAGES[name];
    if (!load || code.length > MAX_UNITS) return null;
    this.#core ??= createCore();
    const core = await this.#core;
    await core.loadLanguage((await load()).default);
    const { tokens } = core.codeToTokens(code, {
      lang: name,
      themes: { light: 'github-light-default', dark: 'github-dark-default' },
      defaultColor: false,
    });
    return tokens.map((line) =>
      line.map(({ content, htmlStyle }) => ({
        text: content,
        light: htmlStyle?.['--shiki-light'] ?? 'inherit',
        dark: htmlStyle?.['--shiki-dark'] ?? 'inherit',
      })),
    );
  }
}

/** One for all code of the app: its languages and themes are loaded once. */
export const [getHighlighter, setHighlighter] = createContext<Highlighter>();

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
