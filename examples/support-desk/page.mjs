const SIGNS = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

/** Shows user input as text, never as markup. @param {string} text */
const escape = (text) => text.replaceAll(/[&<>"]/g, (sign) => SIGNS.get(sign) ?? '');

/** @param {import('./inbox.mjs').Inbox} inbox */
export function page({ conversations }) {
  const shown = conversations.map(
    ({ key, who, via, lines }) => `<section><h2>${escape(who)} <small>${escape(via)}</small></h2>
${lines.map(({ from, text }) => `<p><b>${escape(from)}</b> ${escape(text)}</p>`).join('\n')}
<form method="post"><input type="hidden" name="key" value="${escape(key)}">
<input name="text" aria-label="Answer to ${escape(who)}" required> <button>Answer</button></form></section>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width"><title>Inbox</title>
<h1>Inbox</h1>${shown.join('\n') || '<p>Nobody has written yet.</p>'}</html>`;
}
