import type { CredentialField } from '../channel.ts';
import { DIGITS, EMAIL_ADDRESS, PRIVATE_KEY } from '../credential-formats.ts';

export const GOOGLE_CHAT_CREDENTIALS: readonly CredentialField[] = [
  {
    name: 'address',
    label: 'Incoming webhook URL',
    help: 'In Google Chat, open the space, then Apps & integrations > Webhooks > Add webhook, and copy the whole URL. It contains a key, so keep it secret.',
    secret: true,
    format: {
      pattern: /^https:\/\/chat\.googleapis\.com\/v1\/spaces\/\S+$/,
      hint: 'Webhook URLs start with https://chat.googleapis.com/v1/spaces/.',
    },
  },
  {
    name: 'token',
    label: 'Service account key or access token',
    help: 'At console.cloud.google.com, open IAM & Admin > Service accounts > Keys > Add key > JSON, and paste the whole file.',
    secret: true,
  },
  {
    name: 'consumer_key',
    label: 'Service account email',
    help: 'Instead of the whole key file: its client_email. The private key is then required too.',
    secret: false,
    format: EMAIL_ADDRESS,
  },
  {
    name: 'consumer_secret',
    label: 'Service account private key',
    help: 'Instead of the whole key file: its private_key, from BEGIN to END. The email is then required too.',
    secret: true,
    format: PRIVATE_KEY,
  },
  {
    name: 'username',
    label: 'Project number',
    help: "At console.cloud.google.com, open the dashboard of the app's project: Project number, all digits. Needed to verify webhook requests from Google.",
    secret: false,
    format: DIGITS,
  },
];
