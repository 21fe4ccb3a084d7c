import { escape } from './layout.ts';

/** The page of the web chat. Everything that is said in it comes later, by the script, and as text. */
export function chatPage(title: string, assets: string): string {
  const name = escape(title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="stylesheet" href="${assets}/chat.css">
<script type="module" src="${assets}/chat.js"></script>
</head>
<body>
<main id="chat" aria-label="${name}">
<header><span id="mark" aria-hidden="true">${escape(initialOf(title))}</span><div><h1>${name}</h1><p id="status" role="status">Connecting…</p></div>
<button id="close" type="button" aria-label="Close the chat" hidden></button></header>
<div id="scroller" tabindex="0" role="region" aria-label="Conversation">
<button id="earlier" type="button" hidden>Show earlier messages</button>
<ol id="log" role="log" aria-live="polite" aria-relevant="additions" aria-label="Messages"></ol>
<p id="empty" hidden>Write a message and we will answer here.</p>
<p id="typing" role="status" hidden><span class="away">Writing…</span><i></i><i></i><i></i></p>
</div>
<button id="newest" type="button" hidden>New messages</button>
<form id="composer" autocomplete="off">
<ul id="files" aria-label="Files to send"></ul>
<div id="line">
<button id="attach" type="button" aria-label="Add pictures or files"></button>
<input id="picker" type="file" multiple hidden>
<textarea id="text" rows="1" maxlength="4000" placeholder="Write a message" aria-label="Write a message"></textarea>
<button id="send" type="submit" aria-label="Send"></button>
</div>
<p id="notice" role="alert" hidden></p>
</form>
</main>
<noscript><p>The chat needs JavaScript.</p></noscript>
</body>
</html>
`;
}

function initialOf(title: string): string {
  const [first = ''] = new Intl.Segmenter().segment(title.trim());
  return typeof first === 'string' ? first : first.segment.toUpperCase();
}
