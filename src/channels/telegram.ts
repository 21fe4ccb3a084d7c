import { type Channel, matching } from './channel.ts';

/*
 * Telegram Bot API. https://core.telegram.org/bots/api#sendmessage
 * Text: 1 to 4,096 characters after entities parsing. About one message a second to a chat, 20 a
 * minute to a group, 30 a second over all chats: https://core.telegram.org/bots/faq
 */
export const telegram: Channel = {
  name: 'telegram',
  title: 'Telegram',
  docs: 'https://core.telegram.org/bots/api#sendmessage',
  credentials: [
    {
      name: 'token',
      label: 'Bot token',
      help: 'Write to @BotFather in Telegram, choose /newbot or /mybots, then API Token.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Webhook secret',
      help: 'Any 1 to 256 letters, digits, _ and - of your choice; Telegram repeats it in each call to our hook.',
      secret: true,
    },
  ],
  needs: [['token']],
  recipient: {
    form: 'a chat id (an integer, negative for groups) or a public @channelusername',
    example: '123456789',
    check: matching(
      /^(-?\d{1,19}|@[A-Za-z0-9_]{4,32})$/,
      'must be a chat id (an integer) or @channelusername',
    ),
  },
  limits: [
    { what: '4,096 characters of text', link: 'https://core.telegram.org/bots/api#sendmessage' },
    {
      what: 'about 1 message a second to a chat, 20 a minute to a group, 30 a second in all',
      link: 'https://core.telegram.org/bots/faq',
    },
  ],
};
