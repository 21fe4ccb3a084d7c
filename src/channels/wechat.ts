import { type Channel, matching } from './channel.ts';

/*
 * WeChat official accounts, customer service messages.
 * https://developers.weixin.qq.com/doc/offiaccount/Message_Management/Service_Center_messages.html
 * Text: 2,048 bytes, within 48 hours of what the person last did, and only a few messages each time.
 * Addresses: the person's openid for this account.
 */
export const wechat: Channel = {
  name: 'wechat',
  title: 'WeChat',
  docs: 'https://developers.weixin.qq.com/doc/offiaccount/Message_Management/Service_Center_messages.html',
  credentials: [
    {
      name: 'consumer_key',
      label: 'App ID',
      help: 'At mp.weixin.qq.com, choose Settings and development, Basic configuration: AppID, which starts with wx.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'App secret',
      help: 'At mp.weixin.qq.com, choose Settings and development, Basic configuration: AppSecret. Add our address to the IP whitelist there.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Verification token',
      help: 'Any 3 to 32 letters and digits of your choice; enter the same ones in Basic configuration, Server configuration, Token.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Encoding AES key',
      help: 'In Basic configuration, Server configuration: EncodingAESKey, 43 characters. Only when messages come encrypted.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Original ID',
      help: 'At mp.weixin.qq.com, choose Account details: the original ID, which starts with gh_.',
      secret: false,
    },
  ],
  needs: [['consumer_key', 'consumer_secret']],
  recipient: {
    form: 'the openid of a person who follows the account',
    example: 'oLVPpjqs9BhvzwPj5A-vTYAX3GLc',
    check: matching(
      /^[A-Za-z0-9_-]{1,128}$/,
      'must be an openid: letters, digits, _ and -, usually 28 of them',
    ),
  },
  limits: [
    {
      what: '2,048 bytes of text',
      link: 'https://developers.weixin.qq.com/community/develop/doc/00084e2936c340b9015a753405b800',
    },
    {
      what: 'a few messages, within 48 hours of what the person last did',
      link: 'https://developers.weixin.qq.com/doc/offiaccount/Message_Management/Service_Center_messages.html',
    },
  ],
};
