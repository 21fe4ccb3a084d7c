import type { Activity, ActivityObject, Attachment, ReceivedActivity } from './api.ts';

/* Activities (https://www.w3.org/TR/activitystreams-core/) without having to know how they are written. */

const CONTEXT = 'https://www.w3.org/ns/activitystreams';

/** Whom a message is for: the id as the channel writes it, or more of it. */
export type Recipient =
  | string
  | number
  | { id: string | number; type?: 'Person' | 'Group' | 'Application'; name?: string };

/** A file by its address, or more of it. */
export type Media =
  | string
  | {
      url: string;
      /** Such as `image/png`. */
      mediaType?: string;
      /** The name of the file, or what the picture shows. */
      name?: string;
    };

export interface Place {
  latitude: number;
  longitude: number;
  name?: string;
}

/** What a message says, and how. */
export interface Content {
  /** Plain text: whatever is in it is not taken for markup. */
  text?: string;
  /** Markdown, in place of `text`. Each channel shows it as well as it can. */
  markdown?: string;
  /** HTML, in place of `text`. */
  html?: string;
  /** What stands above the text, where the channel has a place for it: the subject of a letter. */
  title?: string;
  /** A picture; with a text, the text is its caption. */
  image?: Media;
  video?: Media;
  audio?: Media;
  /** Any other file. */
  document?: Media;
  place?: Place;
  /** What to choose from: names, or what `button` makes. */
  buttons?: readonly (string | Attachment)[];
  /** Whatever else is attached. */
  attachments?: readonly Attachment[];
}

/** Which way a message goes, and what is to be done with it. */
export interface Sending {
  to: Recipient;
  /** The name of a channel, or the id of an integration; may be left out where there is only one. */
  via?: string | number;
  /** A name of your own, by which the message can be updated or removed later. */
  id?: string | number;
  /** The id of the message that this one answers: your own, or the channel's. */
  replyTo?: string | number;
  /** The id of the thread that it belongs to. */
  thread?: string | number;
  /** When it is not worth sending any more. */
  expires?: Date | string;
  /** On whose behalf it is sent. */
  from?: { id?: string | number; name?: string };
}

/** A message in short: `{ to, text, via }`, and whatever else is wanted. */
export type Outgoing = Sending & Content;

/** What `messages.send` takes: a message in short, or a whole activity. */
export type Sendable = Outgoing | Activity;

/** A message in short as the activity that it is; an activity as it is. */
export function activityOf(message: Sendable): Activity {
  return '@context' in message ? message : compose(message);
}

/** A text: `note('Hello', { to: '123456789', via: 'telegram' })`. */
export function note(text: string, sending: Sending & Omit<Content, 'text'>): Activity {
  return compose({ ...sending, text });
}

/** A picture: `image('https://…/cat.png', { to, via, text: 'A cat' })`. */
export function image(media: Media, sending: Outgoing): Activity {
  return compose({ ...sending, image: media });
}

export function video(media: Media, sending: Outgoing): Activity {
  return compose({ ...sending, video: media });
}

export function audio(media: Media, sending: Outgoing): Activity {
  return compose({ ...sending, audio: media });
}

/** Any file: `document({ url: 'https://…/7.pdf', name: 'Invoice 7.pdf' }, { to, via })`. */
export function document(media: Media, sending: Outgoing): Activity {
  return compose({ ...sending, document: media });
}

/** A point on the map: `place({ latitude: 52.52, longitude: 13.4 }, { to, via })`. */
export function place(where: Place, sending: Outgoing): Activity {
  return compose({ ...sending, place: where });
}

/** Where a button leads (http, https, tel, mailto), or what comes back when it is pressed. */
export interface ButtonAction {
  url?: string;
  value?: string;
}

/**
 * A button for `buttons`. Pressed, it leads to the address, or its value comes back; with neither, its name does.
 * `pressed` reads what came back.
 */
export function button(name: string, action: string | ButtonAction = {}): Attachment {
  return { type: 'Button', name, ...(typeof action === 'string' ? { url: action } : action) };
}

/** What can be answered: a received activity, or the event that brought it. */
export type Answerable = ReceivedActivity | { data: ReceivedActivity };

/** The value of the button that somebody pressed; undefined for any other message. */
export function pressed(received: Answerable): string | undefined {
  const { object } = 'data' in received ? received.data : received;
  const found = object.attachment?.find(({ type }) => type === 'Button');
  return found && (found.value ?? found.name);
}

/**
 * Answers what somebody wrote, the same way back: in a group to the group, otherwise to whoever it was.
 *
 * ```ts
 * for await (const event of client.events()) {
 *   if (event.type === 'message.received') await client.messages.send(reply(event, 'Thank you!'));
 * }
 * ```
 */
export function reply(
  to: Answerable,
  content: string | Content,
  options: Omit<Sending, 'to' | 'via'> & { privately?: boolean } = {},
): Activity {
  const { actor, target, generator, object } = 'data' in to ? to.data : to;
  const { privately = false, ...sending } = options;
  const isGroup = target.type === 'Group' && !privately;
  // In a group, the actor is where to answer, and the person has written it.
  const person = privately ? (object.attributedTo?.id ?? actor.id) : actor.id;
  return compose({
    to: isGroup ? { type: 'Group', id: target.id } : person,
    via: generator.id,
    ...(object.id !== undefined && { replyTo: object.id }),
    ...(object.context && !privately && { thread: object.context.content }),
    ...sending,
    ...(typeof content === 'string' ? { text: content } : content),
  });
}

/** Changes the earlier message of the same `id`: `update({ id: 'order-7', to, via, text: 'It is there' })`. */
export function update(message: (Outgoing & { id: string | number }) | Activity): Activity {
  const activity = activityOf(message);
  if (activity.object.id === undefined) throw new TypeError('update: the id says which message');
  return { ...activity, type: 'Update' };
}

/** Takes back the earlier message of that id: `remove('order-7', { to, via })`. */
export function remove(id: string | number, sending: Pick<Sending, 'to' | 'via'>): Activity {
  return { ...frame(sending), type: 'Delete', object: { type: 'Tombstone', id } };
}

function compose(message: Outgoing): Activity {
  const { id, replyTo, thread, expires, from } = message;
  const object: ActivityObject = {
    ...objectOf(message),
    ...(id !== undefined && { id }),
    ...(replyTo !== undefined && { inReplyTo: replyTo }),
    ...(thread !== undefined && { context: { type: 'Object', content: String(thread) } }),
  };
  return {
    ...frame(message),
    ...(from && { actor: { type: 'Person', ...from } }),
    object,
    ...(expires !== undefined && {
      endTime: expires instanceof Date ? expires.toISOString() : expires,
    }),
  };
}

function frame({ to, via }: Pick<Sending, 'to' | 'via'>): Omit<Activity, 'object'> {
  const recipient = typeof to === 'object' ? to : { id: to };
  return {
    '@context': CONTEXT,
    type: 'Create',
    generator: { type: 'Service', ...viaOf(via) },
    to: { type: 'Person', ...recipient },
  };
}

/** Digits are the id of an integration, anything else is the name of a channel. */
function viaOf(via: Sending['via']): { id?: string; name?: string } {
  if (via === undefined) return {};
  return /^\d+$/.test(String(via)) ? { id: String(via) } : { name: String(via) };
}

/** A file or a place alone is the object itself; anything more is a note with attachments. */
function objectOf(content: Content): ActivityObject {
  const { text, markdown, html, title, buttons = [], attachments = [] } = content;
  const shown = [...filesOf(content), ...attachments];
  const offered = buttons.map((each) => (typeof each === 'string' ? button(each) : each));
  const [only] = shown;
  const written = markdown ?? html ?? text;
  const isBare = written === undefined && title === undefined;
  if (only && shown.length === 1 && isBare && only.type !== 'Link' && only.type !== 'Button') {
    return { ...only, type: only.type, ...(offered.length > 0 && { attachment: offered }) };
  }
  const attachment = [...shown, ...offered];
  const mediaType = markdown === undefined ? html !== undefined && 'text/html' : 'text/markdown';
  return {
    type: 'Note',
    ...(title !== undefined && { name: title }),
    ...(written !== undefined && { content: written }),
    ...(mediaType && { mediaType }),
    ...(attachment.length > 0 && { attachment }),
  };
}

const KINDS = { image: 'Image', video: 'Video', audio: 'Audio', document: 'Document' } as const;

function filesOf(content: Content): Attachment[] {
  const files = Object.entries(KINDS).flatMap(([kind, type]): Attachment[] => {
    const media = content[kind as keyof typeof KINDS];
    if (media === undefined) return [];
    return [typeof media === 'string' ? { type, url: media } : { type, ...media }];
  });
  return content.place ? [...files, { type: 'Place', ...content.place }] : files;
}
