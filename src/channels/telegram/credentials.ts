import type { CredentialField } from '../channel.ts';

export const TELEGRAM_CREDENTIALS: readonly CredentialField[] = [
  {
    name: 'token',
    label: 'Bot token',
    help: 'In Telegram, write to @BotFather and choose /newbot or /mybots, then API Token.',
    secret: true,
    format: {
      pattern: /^\d+:[\w-]+$/,
      hint: 'Bot tokens look like 110201543:AAHdqTcvCH1vGWJ….',
    },
  },
  {
    name: 'secret',
    label: 'Webhook secret',
    help: 'Any 1 to 256 letters, digits, _ and - of your choice. Telegram includes it in each webhook request.',
    secret: true,
    format: {
      pattern: /^[\w-]{1,256}$/,
      hint: 'Webhook secrets have 1 to 256 letters, digits, _ and -.',
    },
    generate: 'hex',
  },
];
