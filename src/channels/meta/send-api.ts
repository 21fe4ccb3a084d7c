import { textMember } from '../../lib/json/json-member.ts';
import { sentUnlessRefused } from '../answers.ts';
import type { Outcome } from '../channel.ts';
import { type GraphContext, callGraph, classifyFailure } from './graph.ts';

/*
 * Meta's Send API, shared by Messenger and Instagram.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages
 * https://developers.facebook.com/documentation/business-messaging/instagram-messaging/features/send-message
 */

type Body = Readonly<Record<string, unknown>>;

export async function sendMessage(body: Body, context: GraphContext): Promise<Outcome> {
  const answer = await callGraph('me/messages', context, body);
  const id = textMember(answer?.json(), 'message_id');
  if (id !== undefined) return { outcome: 'sent', id };
  return sentUnlessRefused(answer, classifyFailure(answer, context));
}

/** Meta fetches the file: up to 8 MB for an image, 25 MB for other files. */
export function attachment(type: 'image' | 'video' | 'audio' | 'file', url: string): object {
  return { attachment: { type, payload: { url } } };
}

/** The media type without parameters; undefined when unknown. */
export function bareType(mediaType: string | undefined): string | undefined {
  return mediaType?.split(';', 1)[0]?.trim().toLowerCase();
}
