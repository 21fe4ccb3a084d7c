import discord from 'simple-icons/icons/discord.svg';
import googlechat from 'simple-icons/icons/googlechat.svg';
import groupme from 'simple-icons/icons/groupme.svg';
import instagram from 'simple-icons/icons/instagram.svg';
import line from 'simple-icons/icons/line.svg';
import matrix from 'simple-icons/icons/matrix.svg';
import mattermost from 'simple-icons/icons/mattermost.svg';
import messenger from 'simple-icons/icons/messenger.svg';
import nextcloud from 'simple-icons/icons/nextcloud.svg';
import ntfy from 'simple-icons/icons/ntfy.svg';
import rocketdotchat from 'simple-icons/icons/rocketdotchat.svg';
import signal from 'simple-icons/icons/signal.svg';
import telegram from 'simple-icons/icons/telegram.svg';
import viber from 'simple-icons/icons/viber.svg';
import vonage from 'simple-icons/icons/vonage.svg';
import webex from 'simple-icons/icons/webex.svg';
import wechat from 'simple-icons/icons/wechat.svg';
import whatsapp from 'simple-icons/icons/whatsapp.svg';
import x from 'simple-icons/icons/x.svg';
import xmpp from 'simple-icons/icons/xmpp.svg';
import zulip from 'simple-icons/icons/zulip.svg';

/** A logo and its color. */
interface Brand {
  hex: string;
  /** The URL of an SVG file. */
  logo: string;
}

/** Logos by channel name. They are files: as code, they would be a tenth of the scripts that the first page loads. */
export const BRANDS: Readonly<Record<string, Brand>> = {
  discord: { hex: '5865F2', logo: discord },
  'google-chat': { hex: '34A853', logo: googlechat },
  groupme: { hex: '00AFF0', logo: groupme },
  instagram: { hex: 'FF0069', logo: instagram },
  line: { hex: '00C300', logo: line },
  matrix: { hex: '000000', logo: matrix },
  mattermost: { hex: '0058CC', logo: mattermost },
  messenger: { hex: '0866FF', logo: messenger },
  'nextcloud-talk': { hex: '0082C9', logo: nextcloud },
  ntfy: { hex: '317F6F', logo: ntfy },
  rocketchat: { hex: 'F5455C', logo: rocketdotchat },
  signal: { hex: '3B45FD', logo: signal },
  telegram: { hex: '26A5E4', logo: telegram },
  twitter: { hex: '000000', logo: x },
  viber: { hex: '7360F2', logo: viber },
  vonage: { hex: '000000', logo: vonage },
  webex: { hex: '000000', logo: webex },
  wechat: { hex: '07C160', logo: wechat },
  whatsapp: { hex: '25D366', logo: whatsapp },
  xmpp: { hex: '002B5C', logo: xmpp },
  zulip: { hex: '6492FE', logo: zulip },
};
