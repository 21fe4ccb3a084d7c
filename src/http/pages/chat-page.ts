import { escape } from './escape.ts';

/** The web chat page; its script adds the conversation, as text only. */
export function chatPage(title: string, assets: string): string {
  const name = escape(title);
  const sheets = ['chat', 'entries', 'composer'].map(
    (sheet) => `<link rel="stylesheet" href="${assets}/${sheet}.css">`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="icon" href="${assets}/icon.svg">
${sheets.join('\n')}
<script type="module" src="${assets}/chat.js"></script>
</head>
<body>
<main id="chat" aria-label="${name}">
<header><span id="mark" aria-hidden="true">${escape(initialOf(title))}</span><div><h1>${name}</h1><p id="status" role="status">Connecting…</p></div>
<button id="close" type="button" aria-label="Close chat" hidden>${icon('M6 6l12 12M18 6L6 18')}</button></header>
<div id="scroller" tabindex="0" role="region" aria-label="Conversation">
<button id="earlier" type="button" hidden>Show earlier messages</button>
<ol id="log" role="log" aria-live="polite" aria-relevant="additions" aria-label="Messages"></ol>
<p id="empty" hidden>Send us a message. We will reply here.</p>
<p id="typing" role="status" hidden><span class="sr-only">Typing…</span><i></i><i></i><i></i></p>
</div>
<button id="newest" type="button" hidden>New messages</button>
<form id="composer" autocomplete="off">
<ul id="files" aria-label="Files to send"></ul>
<div id="line">
<button id="attach" type="button" aria-label="Attach files">${icon('M21 11.1l-8.5 8.5a5.4 5.4 0 0 1-7.6-7.6l8.5-8.5a3.6 3.6 0 0 1 5.1 5.1l-8.5 8.5a1.8 1.8 0 0 1-2.6-2.6l7.9-7.8')}</button>
<input id="picker" type="file" multiple hidden>
<textarea id="text" rows="1" maxlength="4000" placeholder="Write a message" aria-label="Write a message"></textarea>
<button id="send" type="submit" aria-label="Send message">${icon('M12 19V5M5 12l7-7 7 7')}</button>
</div>
<p id="notice" role="alert" hidden></p>
</form>
</main>
<noscript><p>This chat requires JavaScript.</p></noscript>
</body>
</html>
`;
}

const icon = (shape: string) =>
  `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${shape}"/></svg>`;

function initialOf(title: string): string {
  const [first] = new Intl.Segmenter().segment(title.trim());
  return first?.segment.toUpperCase() ?? '';
}
