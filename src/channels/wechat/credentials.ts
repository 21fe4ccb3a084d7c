import type { CredentialField } from '../channel.ts';

export const WECHAT_CREDENTIALS: readonly CredentialField[] = [
  {
    name: 'consumer_key',
    label: 'App ID',
    help: 'At mp.weixin.qq.com, open Settings and development > Basic configuration > AppID. It starts with wx.',
    secret: false,
    format: { pattern: /^wx[\da-f]+$/, hint: 'App IDs start with wx.' },
  },
  {
    name: 'consumer_secret',
    label: 'App secret',
    help: "At mp.weixin.qq.com, open Settings and development > Basic configuration > AppSecret. Add Switchboard's IP address to the whitelist there.",
    secret: true,
  },
  {
    name: 'secret',
    label: 'Verification token',
    help: 'Any 3 to 32 letters and digits of your choice. Enter the same text under Basic configuration > Server configuration > Token.',
    secret: true,
    format: {
      pattern: /^[A-Za-z\d]{3,32}$/,
      hint: 'Verification tokens have 3 to 32 letters and digits.',
    },
    generate: 'hex',
  },
  {
    name: 'refresh',
    label: 'Encoding AES key',
    help: 'Only for encrypted messages. Under Basic configuration > Server configuration > EncodingAESKey, 43 characters.',
    secret: true,
    format: {
      pattern: /^[A-Za-z\d]{43}$/,
      hint: 'Encoding AES keys have 43 letters and digits.',
    },
  },
  {
    name: 'username',
    label: 'Original ID',
    help: 'At mp.weixin.qq.com, open Account details > original ID. It starts with gh_.',
    secret: false,
    format: { pattern: /^gh_/, hint: 'Original IDs start with gh_.' },
  },
];
