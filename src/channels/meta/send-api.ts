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
