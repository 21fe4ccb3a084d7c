import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';

/* https://docs.discord.com/developers/resources/message#message-object-message-flags */
const SUPPRESS_EMBEDS = 1 << 2;
const SUPPRESS_NOTIFICATIONS = 1 << 12;

const LINK = 'https://docs.discord.com/developers/resources/message#create-message';

export const DISCORD_OPTIONS: readonly ChannelOption[] = [
  {
    name: 'silent',
    label: 'Silent',
    help: 'Sends without push and desktop notifications. False by default.',
    rule: { type: 'boolean' },
    link: LINK,
  },
  {
    name: 'link_preview',
    label: 'Link preview',
    help: 'Whether Discord shows previews of links. True by default. Images of the message are always shown.',
    rule: { type: 'boolean' },
    link: LINK,
  },
  {
    name: 'tts',
    label: 'Text-to-speech',
    help: 'Discord reads the message aloud to people in the channel. False by default.',
    rule: { type: 'boolean' },
    link: LINK,
  },
];

export function withDiscordOptions(
  request: VendorRequest,
  { options: { silent, link_preview, tts } }: Destination,
): VendorRequest {
  // The flag would also hide our own embeds, which contain images.
  const hidesEmbeds = link_preview === false && !('embeds' in request.body);
  const flags =
    Number(request.body['flags'] ?? 0) |
    (silent === true ? SUPPRESS_NOTIFICATIONS : 0) |
    (hidesEmbeds ? SUPPRESS_EMBEDS : 0);
  return {
    ...request,
    body: {
      ...request.body,
      ...(flags !== 0 && { flags }),
      ...(tts === true && { tts: true }),
    },
  };
}

/** The fields of a message that an edit accepts: https://docs.discord.com/developers/resources/message#edit-message */
export function changeOf(body: VendorRequest['body']): VendorRequest['body'] {
  const { message_reference: _, tts: __, flags, ...change } = body;
  const kept = Number(flags ?? 0) & ~SUPPRESS_NOTIFICATIONS;
  return kept === 0 ? change : { ...change, flags: kept };
}
