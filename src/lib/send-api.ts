import { listButtons } from './button-list.ts';
import { type GraphContext, type GraphFailure, callGraph, sortGraph } from './graph.ts';
import { textMember } from './member.ts';

/*
 * Meta's Send API, which Messenger and Instagram have in common.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages
 * https://developers.facebook.com/documentation/business-messaging/instagram-messaging/features/send-message
 */

type Body = Readonly<Record<string, unknown>>;

export async function sendMessage(
  body: Body,
  context: GraphContext,
): Promise<{ outcome: 'sent'; id: string } | GraphFailure> {
  const answer = await callGraph('me/messages', context, body);
  const id = textMember(answer?.json(), 'message_id');
  return id === undefined ? sortGraph(answer, context) : { outcome: 'sent', id };
}

/** Meta fetches it itself: 8 MB of a picture, 25 MB of anything else. */
export function attachment(type: 'image' | 'video' | 'audio' | 'file', url: string): object {
  return { attachment: { type, payload: { url } } };
}

/** The type of media without what may follow it; undefined when it is not told. */
export function bareType(mediaType: string | undefined): string | undefined {
  return mediaType?.split(';', 1)[0]?.trim().toLowerCase();
}

export const MOST_REPLIES = 13;
const MOST_BUTTONS = 3;
const MOST_ABOVE_BUTTONS = 640;

interface Button {
  name: string;
  url?: string;
}

/**
 * Up to 13 replies below a text; or up to three buttons of both kinds below a short one. Otherwise what leads
 * somewhere is a line of the text.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/quick-replies
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/template/button
 */
export function withButtons(body: Body, buttons: readonly Button[]): Body {
  const text = textMember(body['message'], 'text') ?? '';
  const links = buttons.filter(({ url }) => url !== undefined);
  const replies = buttons.filter(({ url }) => url === undefined);
  const isShort = buttons.length <= MOST_BUTTONS && text.length <= MOST_ABOVE_BUTTONS;
  if (links.length > 0 && isShort) {
    const payload = { template_type: 'button', text, buttons: buttons.map(toButton) };
    return { ...body, message: { attachment: { type: 'template', payload } } };
  }
  const said = links.length === 0 ? text : `${text}\n${listButtons(links)}`;
  const below = replies.length === 0 ? {} : { quick_replies: replies.map(toReply) };
  return { ...body, message: { text: said, ...below } };
}

function toButton({ name, url }: Button): object {
  if (url === undefined) return { type: 'postback', title: name, payload: name };
  return { type: 'web_url', title: name, url };
}

function toReply({ name }: Button): object {
  return { content_type: 'text', title: name, payload: name };
}
