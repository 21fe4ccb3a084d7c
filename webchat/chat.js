import { Composer, byId } from './composer.js';
import { Connection } from './connection.js';
import { Files } from './files.js';
import { Log } from './log.js';
import { Outbox } from './outbox.js';
import { Site } from './site.js';

/* The web chat page: connects its parts. */

/** @typedef {import('./entries.js').Entry} Entry */

const [, base = '', id = ''] = /^(.*)\/chat\/(\d+)\/?$/.exec(location.pathname) ?? [];
const parameters = new URLSearchParams(location.hash.slice(1));
// Browsers do not send the fragment, so no log contains an identity there. One in the query moves to the fragment.
const queryIdentity = new URLSearchParams(location.search).get('identity');
if (queryIdentity) {
  parameters.set('identity', queryIdentity);
  history.replaceState(null, '', `${location.pathname}#${parameters}`);
}

const STATUS_TEXT = {
  connecting: 'Connecting…',
  open: '',
  lost: 'Reconnecting…',
  closed: 'This chat is closed right now.',
  refused: 'We could not verify your identity. Please reload the page.',
};
/** Shorter interruptions are not shown. */
const LOST_NOTICE_DELAY_MS = 1_500;
const DELIVERED_DELAY_MS = 50;
const READ_DELAY_MS = 400;

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
/** The latest version received. */
let version = /** @type {number | undefined} */ (undefined);
let delivered = 0;
let read = 0;

const site = new Site(parameters.get('embed') ?? undefined, (isOpen) => {
  if (!isOpen) return;
  composer.focus();
  log.scrollToEnd();
  scheduleReceipts();
});

const connection = new Connection({
  base,
  id,
  identity: parameters.get('identity') ?? undefined,
  version: () => version,
  onSession: ({ visitor }) => outbox.open(`${id}-${visitor}`),
  onFrame: receive,
  onState(state) {
    clearTimeout(statusTimer);
    const delay = state === 'lost' && version !== undefined ? LOST_NOTICE_DELAY_MS : 0;
    statusTimer = setTimeout(() => (status.textContent = STATUS_TEXT[state]), delay);
    document.body.dataset['state'] = state;
    if (state === 'open') outbox.restart();
  },
});

const outbox = new Outbox({
  send: (frame) => connection.send(frame),
  onChange: () => log.showPending(outbox.items),
  onTimeout: () => connection.reconnect(),
});

const files = new Files(`${base}/chat/${id}/files`, () => connection.token);

const composer = new Composer(files, (message) => {
  outbox.add(message);
  log.scrollToEnd();
});

const log = new Log({
  title,
  files,
  press(entry, button, name) {
    outbox.add({ text: name, files: [], press: { entry, button } });
    log.scrollToEnd();
    composer.focus();
  },
  loadEarlier: (before) => void connection.send({ do: 'earlier', before }),
  onScroll: () => scheduleReceipts(),
  discard: (key) => outbox.done(key),
});

/** @param {import('./connection.js').Frame} frame */
function receive(frame) {
  switch (frame.is) {
    case 'history':
      version = frame['version'];
      delivered = read = frame['read'];
      log.reset(frame['entries'], frame['hasMore']);
      for (const { key } of frame['entries']) if (key) outbox.done(key);
      break;
    case 'earlier':
      log.addEarlier(frame['entries'], frame['hasMore']);
      return;
    case 'entry':
      receiveEntry(frame['entry']);
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
  scheduleReceipts();
}

/** @param {Entry} entry */
function receiveEntry(entry) {
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

/** Delayed, so that entries that arrive together share one receipt. */
function scheduleReceipts() {
  deliveredTimer ??= setTimeout(reportDelivered, DELIVERED_DELAY_MS);
  readTimer ??= setTimeout(reportRead, READ_DELAY_MS);
}

function reportDelivered() {
  deliveredTimer = undefined;
  const last = log.lastOfApplication;
  if (last <= delivered || !connection.send({ do: 'delivered', number: last })) return;
  delivered = last;
}

/** Reports the last visible entry as read, and shows the number of unread ones. */
function reportRead() {
  readTimer = undefined;
  const isVisible = document.visibilityState === 'visible' && site.isOpen;
  const last = isVisible ? log.lastInView : 0;
  if (last > read && connection.send({ do: 'read', number: last })) read = last;
  const unread = log.countAfter(read);
  site.setUnread(unread, log.hasEntries);
  document.title = unread > 0 && !isVisible ? `(${unread}) ${title}` : title;
}

document.addEventListener('visibilitychange', scheduleReceipts);
addEventListener('focus', scheduleReceipts);
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') site.close();
});
const close = byId('close');
close.hidden = !site.isEmbedded;
close.addEventListener('click', () => site.close());
document.body.classList.toggle('embedded', site.isEmbedded);
site.ready();
// In a frame of another site, this would take the focus away from that site.
const isTopLevel = !site.isEmbedded && window.parent === window;
if (isTopLevel && !matchMedia('(pointer: coarse)').matches) composer.focus();
void connection.open();
