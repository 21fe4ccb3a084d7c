import { Composer, byId } from './composer.js';
import { Connection } from './connection.js';
import { Files } from './files.js';
import { Log } from './log.js';
import { Outbox } from './outbox.js';
import { Site } from './site.js';

/* The page of the web chat: puts its parts together. */

/** @typedef {import('./entries.js').Entry} Entry */

const [, base = '', id = ''] = /^(.*)\/chat\/(\d+)\/?$/.exec(location.pathname) ?? [];
const given = new URLSearchParams(location.hash.slice(1));
// Behind the hash, an identity is in no log; in front of it, it is moved there.
const asked = new URLSearchParams(location.search).get('identity');
if (asked) {
  given.set('identity', asked);
  history.replaceState(null, '', `${location.pathname}#${given}`);
}

const WORDS = {
  connecting: 'Connecting…',
  open: '',
  lost: 'Connecting again…',
  closed: 'The chat is closed at the moment.',
  refused: 'We cannot tell who you are. Please reload the page.',
};
/** A connection that is back at once is not worth a word. */
const NOTICE_DELAY_MS = 1_500;
const SOON = 50;
const LATER = 400;

const title = document.title;
const status = byId('status');
/** @type {number | undefined} */
let statusTimer;
/** @type {number | undefined} */
let typingTimer;
/** @type {number | undefined} */
let deliveredTimer;
/** @type {number | undefined} */
let readTimer;
/** Up to which version everything is known. */
let version = /** @type {number | undefined} */ (undefined);
let delivered = 0;
let read = 0;

const site = new Site(given.get('embed') ?? undefined, (isOpen) => {
  if (!isOpen) return;
  composer.focus();
  log.toEnd();
  note();
});

const connection = new Connection({
  base,
  id,
  identity: given.get('identity') ?? undefined,
  after: () => version,
  met: ({ visitor }) => outbox.open(`${id}-${visitor}`),
  told,
  became(state) {
    clearTimeout(statusTimer);
    const wait = state === 'lost' && version !== undefined ? NOTICE_DELAY_MS : 0;
    statusTimer = setTimeout(() => (status.textContent = WORDS[state]), wait);
    document.body.dataset['state'] = state;
    if (state === 'open') outbox.restart();
  },
});

const outbox = new Outbox({
  tell: (frame) => connection.tell(frame),
  changed: () => log.showPending(outbox.items),
  unanswered: () => connection.renew(),
});

const files = new Files(`${base}/chat/${id}/files`, () => connection.token);

const composer = new Composer(files, (said) => {
  outbox.add(said);
  log.toEnd();
});

const log = new Log({
  title,
  files,
  press(entry, button, name) {
    outbox.add({ text: name, files: [], press: { entry, button } });
    log.toEnd();
    composer.focus();
  },
  earlier: (before) => void connection.tell({ do: 'earlier', before }),
  seen: () => note(),
  discard: (key) => outbox.done(key),
});

/** @param {import('./connection.js').Frame} frame */
function told(frame) {
  switch (frame.is) {
    case 'history':
      version = frame['version'];
      delivered = read = frame['read'];
      log.begin(frame['entries'], frame['isMore']);
      for (const { key } of frame['entries']) if (key) outbox.done(key);
      break;
    case 'earlier':
      log.addEarlier(frame['entries'], frame['isMore']);
      return;
    case 'entry':
      take(frame['entry']);
      break;
    case 'said':
      outbox.done(frame['key']);
      break;
    case 'refused':
      outbox.refused(frame['key'], frame['why'], frame['seconds']);
      break;
    case 'typing':
      showTyping(frame['seconds']);
      break;
  }
  note();
}

/** @param {Entry} entry */
function take(entry) {
  version = Math.max(version ?? 0, entry.version);
  if (entry.by === 'application') showTyping(0);
  log.put(entry);
  if (entry.key) outbox.done(entry.key);
}

/** @param {number} seconds */
function showTyping(seconds) {
  clearTimeout(typingTimer);
  log.setTyping(seconds > 0);
  if (seconds > 0) typingTimer = setTimeout(() => showTyping(0), seconds * 1000);
}

/** Says how far the visitor has come: once for all that comes at once, and nobody reads in no time. */
function note() {
  deliveredTimer ??= setTimeout(noteDelivered, SOON);
  readTimer ??= setTimeout(noteRead, LATER);
}

/** Says that the browser has all that is there. */
function noteDelivered() {
  deliveredTimer = undefined;
  const last = log.lastOfApplication;
  if (last <= delivered || !connection.tell({ do: 'delivered', number: last })) return;
  delivered = last;
}

/** Says what the visitor has seen; and shows how much they have not. */
function noteRead() {
  readTimer = undefined;
  const isSeen = document.visibilityState === 'visible' && site.isOpen;
  const last = isSeen ? log.lastInView : 0;
  if (last > read && connection.tell({ do: 'read', number: last })) read = last;
  const unread = log.countAfter(read);
  site.unread(unread, log.isBegun);
  document.title = unread > 0 && !isSeen ? `(${unread}) ${title}` : title;
}

document.addEventListener('visibilitychange', note);
addEventListener('focus', note);
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') site.close();
});
const close = byId('close');
close.hidden = !site.isThere;
close.addEventListener('click', () => site.close());
document.body.classList.toggle('embedded', site.isThere);
site.ready();
// In a frame of somebody else's page it would take the focus from there.
const isPage = !site.isThere && window.parent === window;
if (isPage && !matchMedia('(pointer: coarse)').matches) composer.focus();
void connection.open();
