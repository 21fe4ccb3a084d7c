import { textMember } from '../../lib/json/json-member.ts';
import type { MessageOptions } from '../../model/sending/instructions.ts';
import type { ChannelOption, Outcome } from '../channel.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import type { MessageWindow } from '../window.ts';
import { type GraphContext, callGraph, classifyFailure } from './graph.ts';

/*
 * Meta's Send API, shared by Messenger and Instagram.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages
 * https://developers.facebook.com/documentation/business-messaging/instagram-messaging/features/send-message
 */

type Body = Readonly<Record<string, unknown>>;

async function sendMessage(body: Body, context: GraphContext): Promise<Outcome> {
  const answer = await callGraph('me/messages', context, body);
  const id = textMember(answer?.json(), 'message_id');
  if (id !== undefined) return { outcome: 'sent', id };
  return sentUnlessRefused(answer, classifyFailure(answer, context));
}

/** The error codes and subcodes when the user's last message is more than 24 hours old. */
const OUTSIDE_WINDOW = new Set(['10/2018278', '10/2534022']);

/** Sends again as a human agent if the option allows it and the 24 hours are over. */
export async function sendInWindow(
  body: Body,
  { human_agent }: MessageOptions,
  context: GraphContext,
): Promise<Outcome> {
  const outcome = await sendMessage(body, context);
  const isLate = outcome.outcome === 'permanent' && OUTSIDE_WINDOW.has(outcome.code ?? '');
  if (human_agent !== true || !isLate) return outcome;
  return sendMessage({ ...body, messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' }, context);
}

/** 24 hours; 7 days for messages of human agents. */
export const sendApiWindow = (link: string): MessageWindow => ({
  hours: 24,
  extension: { option: 'human_agent', hours: 7 * 24 },
  link,
});

export const HUMAN_AGENT: ChannelOption = {
  name: 'human_agent',
  label: 'Human agent',
  help: "A member of your staff wrote the message. It can then be sent up to 7 days after the recipient's last message instead of 24 hours. False by default. The app needs the Human Agent feature.",
  rule: { type: 'boolean' },
  link: 'https://developers.facebook.com/docs/messenger-platform/send-messages/message-tags/',
};

/** Meta fetches the file: up to 8 MB for an image, 25 MB for other files. */
export function attachment(type: 'image' | 'video' | 'audio' | 'file', url: string): object {
  return { attachment: { type, payload: { url } } };
}

/** The media type without parameters; undefined when unknown. */
export function bareType(mediaType: string | undefined): string | undefined {
  return mediaType?.split(';', 1)[0]?.trim().toLowerCase();
}
