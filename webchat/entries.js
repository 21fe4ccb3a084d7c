import { isImage, sizeOf } from './files.js';
import { isSafe, isText, make, outerLink, plainText, writeRuns } from './runs.js';

/* Renders entries of the conversation. Content becomes text nodes and checked attributes, never markup. */

/**
 * @typedef {{ number: number, version: number, by: 'application' | 'visitor', at: number, key?: string,
 *   reply?: number, isChanged?: true, body: Record<string, any> | null }} Entry
 * @typedef {{
 *   title: string,
 *   files: import('./files.js').Files,
 *   entry(number: number): Entry | undefined,
 *   press(entry: number, button: number, name: string): void,
 *   onResize(): void,
 * }} Context
 */

const MAX_QUOTE_LENGTH = 200;

const TIME = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });

/** @param {number} at */
export const timeOf = (at) => TIME.format(at);

/** @param {number} at */
export function dayOf(at) {
  const today = new Date().toDateString();
  const day = new Date(at).toDateString();
  return day === today ? 'Today' : DAY.format(at);
}

/** @param {Entry} entry @param {Context} context */
export function showEntry(entry, context) {
  const { by, at, body, isChanged, reply } = entry;
  const item = make('li', `entry ${by}`);
  const author = make('span', 'sr-only', by === 'visitor' ? 'You: ' : `${context.title}: `);
  const bubble = make('div', 'bubble', author);
  if (body === null) bubble.append(make('p', 'gone', 'Message deleted'));
  else {
    const quoted = reply === undefined ? undefined : context.entry(reply);
    if (quoted?.body && by === 'application') bubble.append(quote(quoted, context));
    bubble.append(...contentOf(body, context));
  }
  const time = make('time', '', timeOf(at));
  time.dateTime = new Date(at).toISOString();
  const meta = make('p', 'meta', time);
  if (isChanged && body) meta.append(make('span', 'edited', ' · edited'));
  item.append(bubble);
  const buttons = buttonsOf(entry, context);
  if (buttons) item.append(buttons);
  item.append(meta);
  return item;
}

/** @param {Entry} quoted @param {Context} context */
function quote({ by, body }, { title }) {
  const { text, media, files, place } = body ?? {};
  const summary = plainText(text) || media?.name || files?.[0]?.name || place?.name || 'Attachment';
  return make(
    'blockquote',
    '',
    make('b', '', by === 'visitor' ? 'You' : title),
    make('span', '', String(summary).slice(0, MAX_QUOTE_LENGTH)),
  );
}

/** @param {Record<string, any>} body @param {Context} context @returns {Node[]} */
export function contentOf({ title, text, media, place, files }, context) {
  const nodes = [];
  if (isText(title)) nodes.push(make('strong', 'title', title));
  if (media) nodes.push(mediaOf(media, context));
  for (const file of Array.isArray(files) ? files : []) nodes.push(fileOf(file, context));
  if (Array.isArray(text) && text.length > 0) nodes.push(writeRuns(text));
  if (place) nodes.push(placeOf(place));
  return nodes;
}

/** @param {Record<string, unknown>} media @param {Context} context */
function mediaOf({ kind, url, name, preview }, { onResize }) {
  const label = isText(name) ? name : '';
  if (!isSafe(url)) return make('span', '', label || 'Attachment');
  if (kind === 'image') {
    const image = imageOf(isSafe(preview) ? preview : url, label, onResize);
    const link = outerLink(url, image);
    // An image that fails to load becomes a plain link.
    image.addEventListener('error', () => {
      link.className = 'file';
      link.replaceChildren(fileLabel(label || 'Image'));
      onResize();
    });
    return link;
  }
  if (kind === 'video' || kind === 'audio') {
    const player = make(kind, 'player');
    player.controls = true;
    player.preload = 'metadata';
    player.src = url;
    player.setAttribute('aria-label', label || (kind === 'video' ? 'Video' : 'Audio'));
    if (player instanceof HTMLVideoElement && isSafe(preview)) player.poster = preview;
    player.addEventListener('loadedmetadata', onResize);
    return player;
  }
  const link = outerLink(url, fileLabel(label || url));
  link.className = 'file';
  return link;
}

/** @param {string} url @param {string} label @param {() => void} onLoad */
function imageOf(url, label, onLoad) {
  const image = make('img', 'image');
  image.alt = label || 'Image';
  image.referrerPolicy = 'no-referrer';
  image.addEventListener('load', onLoad);
  image.src = url;
  return image;
}

/** A file of the visitor. @param {any} file @param {Context} context */
function fileOf(file, { files, onResize }) {
  const name = isText(file?.name) ? file.name : 'File';
  const button = make('button', 'file', fileLabel(name, sizeOf(Number(file?.size) || 0)));
  button.type = 'button';
  button.addEventListener(
    'click',
    () => void files.save(file).catch(() => (button.disabled = true)),
  );
  if (!isImage(file?.mediaType)) return button;
  void files.load(file).then(
    (url) => {
      button.className = 'preview';
      button.setAttribute('aria-label', `Download ${name}`);
      const image = imageOf(url, name, onResize);
      // Not an image, despite its declared type.
      image.addEventListener('error', () => {
        button.className = 'file';
        button.replaceChildren(fileLabel(name));
      });
      button.replaceChildren(image);
    },
    () => {},
  );
  return button;
}

/** @param {string} name @param {string} [size] */
function fileLabel(name, size) {
  const label = make('span', 'label', make('span', 'name', name));
  if (size) label.append(make('span', 'size', size));
  return label;
}

/** @param {Record<string, unknown>} place */
function placeOf({ latitude, longitude, name }) {
  const coordinates = `${Number(latitude)}, ${Number(longitude)}`;
  const map = `https://www.openstreetmap.org/?mlat=${Number(latitude)}&mlon=${Number(longitude)}#map=16/${Number(latitude)}/${Number(longitude)}`;
  const link = outerLink(map, fileLabel(isText(name) ? name : 'Location', coordinates));
  link.className = 'file place';
  return link;
}

/** @param {Entry} entry @param {Context} context */
function buttonsOf({ number, body }, { press }) {
  const buttons = Array.isArray(body?.buttons) ? body.buttons : [];
  if (buttons.length === 0) return undefined;
  const group = make('div', 'buttons');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', 'Quick replies');
  buttons.forEach((/** @type {any} */ { name, url }, i) => {
    if (!isText(name)) return;
    if (isSafe(url)) return group.append(outerLink(url, name));
    const button = make('button', 'reply', name);
    button.type = 'button';
    button.addEventListener('click', () => press(number, i, name));
    if (url === undefined) group.append(button);
  });
  return group;
}
