import type {
  Activity,
  ActivityObject,
  Attachment,
  MessageOptions,
  ReceivedActivity,
  RouteRequest,
  SendAt,
  TemplateRequest,
} from './api.ts';

/* Builds activities (https://www.w3.org/TR/activitystreams-core/) from short descriptions. */

const CONTEXT = 'https://www.w3.org/ns/activitystreams';

/** The recipient of a message: its id on the channel, alone or with type and name. */
export type Recipient =
  | string
  | number
  | { id: string | number; type?: 'Person' | 'Group' | 'Application'; name?: string };

/** A file: its URL, alone or with media type and name. */
export type Media =
  | string
  | {
      url: string;
      /** Such as `image/png`. */
      mediaType?: string;
      /** The file name, or a description of the image. */
      name?: string;
    };

export interface Place {
  latitude: number;
  longitude: number;
  name?: string;
}

/** The content of a message. */
export interface Content {
  /** Plain text. Nothing in it is interpreted as markup. */
  text?: string;
  /** Markdown, instead of `text`. Each channel renders it as well as it can. */
  markdown?: string;
  /** HTML, instead of `text`. */
  html?: string;
  /** A title, on channels that have one, such as the subject of an email. */
  title?: string;
  /** An image; a text becomes its caption. */
  image?: Media;
  video?: Media;
  audio?: Media;
  /** Any other file. */
  document?: Media;
  place?: Place;
  /** Buttons: their labels, or the results of `button`. */
  buttons?: readonly (string | Attachment)[];
  /** Further attachments. */
  attachments?: readonly Attachment[];
}

/** The recipient of a message, and the integration that sends it. */
export interface Sending {
  to: Recipient;
  /** The name of a channel, the id of an integration or `pool:NAME`. Optional if there is only one integration. */
  via?: string | number;
  /** Your own id for the message, with which you can update or remove it later. */
  id?: string | number;
  /** The id of the message that this one replies to: your own id, or the channel's. */
  replyTo?: string | number;
  /** The id of the thread to send it in. */
  thread?: string | number;
  /** When the message expires; it is not sent after that. */
  expires?: Date | string;
  /** The person on whose behalf it is sent. */
  from?: { id?: string | number; name?: string };
}

/** A message in short form, without options and time: `{ to, text, via, … }`. */
export type Composable = Sending & Content;

/** Why a message is sent. Marketing goes only to people who did not stop it. */
export type Category = 'transactional' | 'marketing' | 'verification';

/** Instructions beside the activity: when and how to send the message. */
export interface Instructions {
  /** Values of the channel's options, such as `{ silent: true }`; `channels.get` lists them. */
  options?: MessageOptions;
  /** A template of the vendor or of the application, instead of a text: `{ name, language, parameters }`. */
  template?: TemplateRequest;
  /** The vendor's template to send if it accepts no free text to the recipient any more. */
  outsideWindow?: TemplateRequest;
  /**
   * Ways to reach the recipient, one after the other: `[{ via: 'whatsapp', until: 'read', after: 'PT2M' }, { via: 'twilio' }]`.
   */
  routes?: readonly RouteRequest[];
  /** Why it is sent; `transactional` by default. */
  category?: Category;
}

/** A message in short form: `{ to, text, via, options, … }`. */
export type Outgoing = Composable &
  Instructions & {
    /** When to send it: a time, or a local time such as `{ local: '09:00', zone: 'recipient' }`. */
    sendAt?: Date | SendAt;
  };

/** An activity, or a message in short form, with its options: `{ message: reply(event, '…'), options }`. */
export interface Submission extends Instructions {
  message: Activity | Composable;
  /** When to send it. */
  send_at?: SendAt;
}

/** The argument of `messages.send`: a message in short form, an activity, or an activity with options. */
export type Sendable = Outgoing | Activity | Submission;

/** Converts a message in short form to an activity; returns an activity unchanged. */
export function activityOf(message: Composable | Activity): Activity {
  return '@context' in message ? message : compose(message);
}

/** The request body of a message. */
export interface SubmissionBody {
  message: Activity;
  options?: MessageOptions;
  template?: TemplateRequest;
  outside_window?: TemplateRequest;
  routes?: RouteRequest[];
  category?: Category;
}

/** The request body of a message: the activity, with the instructions beside it. */
export function submissionOf(message: Sendable): SubmissionBody {
  if ('@context' in message) return { message };
  if ('message' in message) {
    const { message: given, outsideWindow, routes, ...rest } = message;
    return {
      ...rest,
      message: activityOf(given),
      ...(routes && { routes: [...routes] }),
      ...(outsideWindow && { outside_window: outsideWindow }),
    };
  }
  const { options, template, outsideWindow, routes, category, sendAt, ...rest } = message;
  return {
    message: compose(rest),
    ...(options && { options }),
    ...(template && { template }),
    ...(outsideWindow && { outside_window: outsideWindow }),
    ...(routes && { routes: [...routes] }),
    ...(category && { category }),
    ...(sendAt !== undefined && { send_at: sendAtOf(sendAt) }),
  };
}

/** A time as the API takes it. */
export const sendAtOf = (time: Date | SendAt): SendAt =>
  time instanceof Date ? time.toISOString() : time;

/** A text: `note('Hello', { to: '123456789', via: 'telegram' })`. */
export function note(text: string, sending: Sending & Omit<Content, 'text'>): Activity {
  return compose({ ...sending, text });
}

/** An image: `image('https://…/cat.png', { to, via, text: 'A cat' })`. */
export function image(media: Media, sending: Composable): Activity {
  return compose({ ...sending, image: media });
}

export function video(media: Media, sending: Composable): Activity {
  return compose({ ...sending, video: media });
}

export function audio(media: Media, sending: Composable): Activity {
  return compose({ ...sending, audio: media });
}

/** Any file: `document({ url: 'https://…/7.pdf', name: 'Invoice 7.pdf' }, { to, via })`. */
export function document(media: Media, sending: Composable): Activity {
  return compose({ ...sending, document: media });
}

/** A location: `place({ latitude: 52.52, longitude: 13.4 }, { to, via })`. */
export function place(where: Place, sending: Composable): Activity {
  return compose({ ...sending, place: where });
}

/** The URL that a button opens (http, https, tel, mailto), or the value that comes back when it is pressed. */
export interface ButtonAction {
  url?: string;
  value?: string;
}

/**
 * A button for `buttons`. It opens the URL or sends its value back; with neither, it sends its name. `pressed` reads
 * what came back.
 */
export function button(name: string, action: string | ButtonAction = {}): Attachment {
  return { type: 'Button', name, ...(typeof action === 'string' ? { url: action } : action) };
}

/** What `reply` can answer: a received activity, or its event. */
export type Answerable = ReceivedActivity | { data: ReceivedActivity };

/** The value of the pressed button; undefined for any other message. */
export function pressed(received: Answerable): string | undefined {
  const { object } = 'data' in received ? received.data : received;
  const found = object.attachment?.find(({ type }) => type === 'Button');
  return found && (found.value ?? found.name);
}

/**
 * Replies to a received message through the same integration: to the group if it came from one, otherwise to the sender.
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
  // In a group, replies go to the actor; the person is in `attributedTo`.
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

/** Changes the earlier message with the same `id`: `update({ id: 'order-7', to, via, text: 'Delivered' })`. */
export function update(message: (Composable & { id: string | number }) | Activity): Activity {
  const activity = activityOf(message);
  if (activity.object.id === undefined) throw new TypeError('update: an id is required');
  return { ...activity, type: 'Update' };
}

/** Deletes the earlier message with that id: `remove('order-7', { to, via })`. */
export function remove(id: string | number, sending: Pick<Sending, 'to' | 'via'>): Activity {
  return { ...frame(sending), type: 'Delete', object: { type: 'Tombstone', id } };
}

function compose(message: Composable): Activity {
  if ('options' in message) {
    throw new TypeError('options are not part of an activity: send { message, options }');
  }
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

/** Digits are the id of an integration and `pool:NAME` is a pool; anything else is the name of a channel. */
function viaOf(via: Sending['via']): { id?: string; name?: string } {
  if (via === undefined) return {};
  return /^(?:\d+|pool:.*)$/.test(String(via)) ? { id: String(via) } : { name: String(via) };
}

/** A single file or place without text becomes the object itself; anything else becomes a note with attachments. */
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
