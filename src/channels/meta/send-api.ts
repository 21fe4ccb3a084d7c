import { textMember } from '../../lib/member.ts';
import { sentUnlessRefused } from '../answers.ts';
import type { Outcome } from '../channel.ts';
import { type GraphContext, callGraph, sortGraph } from './graph.ts';

/*
 * Meta's Send API, which Messenger and Instagram have in common.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages
 * https://developers.facebook.com/documentation/business-messaging/instagram-messaging/features/send-message
 */

type Body = Readonly<Record<string, unknown>>;

export async function sendMessage(body: Body, context: GraphContext): Promise<Outcome> {
  const answer = await callGraph('me/messages', context, body);
  const id = textMember(answer?.json(), 'message_id');
  if (id !== undefined) return { outcome: 'sent', id };
  return sentUnlessRefused(answer, sortGraph(answer, context));
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
 * Up to 13 replies below a text; or up to three buttons of both kinds below a short one. Anything else is unfit
 * for the channel of that title.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/quick-replies
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/template/button
 */
export function addButtons<Wire extends { body: Body }>(
  title: string,
  wire: Wire,
  buttons: readonly Button[],
): Wire | { unfit: string } {
  const text = textMember(wire.body['message'], 'text') ?? '';
  const put = (message: object) => ({ ...wire, body: { ...wire.body, message } });
  if (buttons.every(({ url }) => url === undefined)) {
    return put({ text, quick_replies: buttons.map(toReply) });
  }
  if (buttons.length > MOST_BUTTONS) {
    return { unfit: `${title} takes at most ${MOST_BUTTONS} buttons when one leads somewhere` };
  }
  if (text.length > MOST_ABOVE_BUTTONS) {
    return {
      unfit: `${title} takes at most ${MOST_ABOVE_BUTTONS} characters above buttons that lead somewhere`,
    };
  }
  const payload = { template_type: 'button', text, buttons: buttons.map(toButton) };
  return put({ attachment: { type: 'template', payload } });
}

function toButton({ name, url }: Button): object {
  if (url === undefined) return { type: 'postback', title: name, payload: name };
  return { type: 'web_url', title: name, url };
}

function toReply({ name }: Button): object {
  return { content_type: 'text', title: name, payload: name };
}
