import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

import { escape } from '../html.ts';

/*
 * Highlights code with classes instead of colors: the content security policy forbids inline styles, and the style
 * sheet gives each class a color for light and dark.
 */

const NAMES: Readonly<Record<string, string>> = {
  sh: 'shellscript',
  js: 'javascript',
  ts: 'typescript',
};

const PREFIX = 'var(--code-token-';

const highlighter = await createHighlighterCore({
  engine: createJavaScriptRegexEngine(),
  themes: [createCssVariablesTheme({ name: 'classes', variablePrefix: '--code-' })],
  langs: [
    import('shiki/dist/langs/go.mjs'),
    import('shiki/dist/langs/html.mjs'),
    import('shiki/dist/langs/javascript.mjs'),
    import('shiki/dist/langs/json.mjs'),
    import('shiki/dist/langs/php.mjs'),
    import('shiki/dist/langs/python.mjs'),
    import('shiki/dist/langs/ruby.mjs'),
    import('shiki/dist/langs/shellscript.mjs'),
    import('shiki/dist/langs/sql.mjs'),
    import('shiki/dist/langs/typescript.mjs'),
    import('shiki/dist/langs/yaml.mjs'),
  ],
});

/** The code as HTML. A language without a grammar stays plain. */
export function highlight(code: string, language: string): string {
  const lang = NAMES[language] ?? language;
  if (!highlighter.getLoadedLanguages().includes(lang)) return escape(code);
  // Without a time limit, which on a busy machine would leave the rest of a line without colors.
  const options = { lang, theme: 'classes', tokenizeTimeLimit: 0 };
  const lines = highlighter.codeToTokensBase(code, options);
  return lines
    .map((tokens) =>
      tokens
        .map(({ content, color = '' }) =>
          color.startsWith(PREFIX)
            ? `<span class="t-${color.slice(PREFIX.length, -1)}">${escape(content)}</span>`
            : escape(content),
        )
        .join(''),
    )
    .join('\n');
}
