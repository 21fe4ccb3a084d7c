import { isPicture, sizeOf } from './files.js';
import { isSafe, isText, leading, make, plainText, writeRuns } from './runs.js';

/*
 * An entry of the conversation, as it is shown. Whatever an entry says is put in as text or as an attribute
 * that was looked at; nothing is ever read as markup.
 */

/**
 * @typedef {{ number: number, version: number, by: 'application' | 'visitor', at: number, key?: string,
 *   reply?: number, isChanged?: true, body: Record<string, any> | null }} Entry
 * @typedef {{
 *   title: string,
 *   files: import('./files.js').Files,
 *   entry(number: number): Entry | undefined,
 *   press(entry: number, button: number, name: string): void,
 *   grown(): void,
 * }} Surroundings
 */

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

/** @param {Entry} entry @param {Surroundings} around */
export function showEntry(entry, around) {
  const { by, at, body, isChanged, reply } = entry;
  const item = make('li', `entry ${by}`);
  const who = make('span', 'away', by === 'visitor' ? 'You: ' : `${around.title}: `);
  const bubble = make('div', 'bubble', who);
  if (body === null) bubble.append(make('p', 'gone', 'Message deleted'));
  else {
    const quoted = reply === undefined ? undefined : around.entry(reply);
    if (quoted?.body && by === 'application') bubble.append(quote(quoted, around));
    bubble.append(...contentOf(body, around));
  }
  const time = make('time', '', timeOf(at));
  time.dateTime = new Date(at).toISOString();
  const meta = make('p', 'meta', time);
  if (isChanged && body) meta.append(' · edited');
  item.append(bubble);
  const buttons = buttonsOf(entry, around);
  if (buttons) item.append(buttons);
  item.append(meta);
  return item;
}

/** @param {Entry} quoted @param {Surroundings} around */
function quote({ by, body }, { title }) {
  const { text, media, files, place } = body ?? {};
  const said = plainText(text) || media?.name || files?.[0]?.name || place?.name || 'Attachment';
  return make(
    'blockquote',
    '',
    make('b', '', by === 'visitor' ? 'You' : title),
    make('span', '', String(said).slice(0, 200)),
  );
}

/** @param {Record<string, any>} body @param {Surroundings} around @returns {Node[]} */
export function contentOf({ title, text, media, place, files }, around) {
  const nodes = [];
  if (isText(title)) nodes.push(make('strong', 'title', title));
  if (media) nodes.push(mediaOf(media, around));
  for (const file of Array.isArray(files) ? files : []) nodes.push(fileOf(file, around));
  if (Array.isArray(text) && text.length > 0) nodes.push(writeRuns(text));
  if (place) nodes.push(placeOf(place));
  return nodes;
}

/** @param {Record<string, unknown>} media @param {Surroundings} around */
function mediaOf({ kind, url, name, preview }, { grown }) {
  const label = isText(name) ? name : '';
  if (!isSafe(url)) return make('span', '', label || 'Attachment');
  if (kind === 'image') {
    const image = picture(isSafe(preview) ? preview : url, label, grown);
    // One that cannot be had is still to be reached.
    const link = leading(url, image);
    image.addEventListener('error', () => {
      link.className = 'file';
      link.replaceChildren(fileLabel(label || 'Image'));
      grown();
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
    player.addEventListener('loadedmetadata', grown);
    return player;
  }
  const link = leading(url, fileLabel(label || url));
  link.className = 'file';
  return link;
}

/** @param {string} url @param {string} label @param {() => void} grown */
function picture(url, label, grown) {
  const image = make('img', 'picture');
  image.alt = label || 'Picture';
  image.referrerPolicy = 'no-referrer';
  image.addEventListener('load', grown);
  image.src = url;
  return image;
}

/** What the visitor has sent. @param {any} file @param {Surroundings} around */
function fileOf(file, { files, grown }) {
  const name = isText(file?.name) ? file.name : 'File';
  const button = make('button', 'file', fileLabel(name, sizeOf(Number(file?.size) || 0)));
  button.type = 'button';
  button.addEventListener(
    'click',
    () => void files.save(file).catch(() => (button.disabled = true)),
  );
  if (!isPicture(file?.mediaType)) return button;
  void files.show(file).then(
    (url) => {
      button.className = 'shown';
      button.setAttribute('aria-label', `Save ${name}`);
      const image = picture(url, name, grown);
      // It says that it is a picture, and is none.
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
  const where = `${Number(latitude)}, ${Number(longitude)}`;
  const map = `https://www.openstreetmap.org/?mlat=${Number(latitude)}&mlon=${Number(longitude)}#map=16/${Number(latitude)}/${Number(longitude)}`;
  const link = leading(map, fileLabel(isText(name) ? name : 'Location', where));
  link.className = 'file place';
  return link;
}

/** @param {Entry} entry @param {Surroundings} around */
function buttonsOf({ number, body }, { press }) {
  const buttons = Array.isArray(body?.buttons) ? body.buttons : [];
  if (buttons.length === 0) return undefined;
  const group = make('div', 'buttons');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', 'Answers');
  buttons.forEach((/** @type {any} */ { name, url }, i) => {
    if (!isText(name)) return;
    if (isSafe(url)) return group.append(leading(url, name));
    const button = make('button', 'reply', name);
    button.type = 'button';
    button.addEventListener('click', () => press(number, i, name));
    if (url === undefined) group.append(button);
  });
  return group;
}
