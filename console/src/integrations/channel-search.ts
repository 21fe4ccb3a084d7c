import type { Channel } from '../api/types.ts';

/* Finds channels by what people call them. */

export type Category = Channel['category'];

/** In the order of the gallery, with other words for each. */
export const CATEGORIES: Readonly<Record<Category, { title: string; words: readonly string[] }>> = {
  own: { title: 'Your own', words: ['own', 'custom', 'site'] },
  chat: { title: 'Chat apps', words: ['chat', 'app', 'messenger', 'messaging'] },
  'team-chat': { title: 'Team chat', words: ['chat', 'team', 'group', 'work', 'community'] },
  sms: { title: 'SMS', words: ['sms', 'text', 'message', 'phone', 'mobile', 'number'] },
  email: { title: 'Email', words: ['email', 'mail', 'e-mail'] },
  push: { title: 'Push', words: ['push', 'notification', 'alert', 'app'] },
};

interface SearchableChannel extends Pick<Channel, 'name' | 'title' | 'category'> {
  aliases: readonly string[];
  keywords: readonly string[];
}

const NO_MATCH = Infinity;
/** Shorter search words match only the beginning of a word. */
const MIN_INNER_LENGTH = 3;
const MAX_NEAREST = 3;
const MIN_LIKENESS = 0.25;
/** A keyword counts less than a name that matches equally well. */
const KEYWORD_WEIGHT = 0.9;

/** The channels that match every word of the text, best first. */
export function searchChannels<Each extends SearchableChannel>(
  channels: readonly Each[],
  text: string,
): Each[] {
  return channels
    .map((channel) => ({ channel, rank: rankOf(channel, text) }))
    .filter(({ rank }) => rank !== NO_MATCH)
    .toSorted((a, b) => a.rank - b.rank || a.channel.title.localeCompare(b.channel.title))
    .map(({ channel }) => channel);
}

/** The channels with the most similar names, for a search without a match. */
export function nearestChannels<Each extends SearchableChannel>(
  channels: readonly Each[],
  text: string,
): Each[] {
  const pairs = pairsOf(text);
  const likeness = (channel: SearchableChannel) =>
    Math.max(
      ...namesOf(channel).map((word) => overlap(pairs, pairsOf(word))),
      ...channel.keywords.map((word) => KEYWORD_WEIGHT * overlap(pairs, pairsOf(word))),
    );
  return channels
    .map((channel) => ({ channel, score: likeness(channel) }))
    .filter(({ score }) => score > MIN_LIKENESS)
    .toSorted((a, b) => b.score - a.score || a.channel.title.localeCompare(b.channel.title))
    .slice(0, MAX_NEAREST)
    .map(({ channel }) => channel);
}

function rankOf(channel: SearchableChannel, text: string): number {
  const whole = plain(text);
  const parts = text.split(/\s+/).map(plain).filter(Boolean);
  if (parts.length === 0) return 0;
  const byWords = Math.max(
    ...parts.map((part) =>
      // "notifications" finds "notification".
      Math.min(rankOfPart(channel, part), rankOfPart(channel, part.replace(/s$/, '') || part)),
    ),
  );
  // "whats app" finds "WhatsApp".
  return Math.min(byWords, rankOfPart(channel, whole));
}

function rankOfPart(channel: SearchableChannel, part: string): number {
  const { name, title, aliases, keywords, category } = channel;
  const groups = [[name, title], aliases, keywords, CATEGORIES[category].words];
  const words = groups.map((group) => group.map(plain));
  const first = words.findIndex((group) => group.some((word) => word.startsWith(part)));
  if (first !== -1) return first;
  const isInside =
    part.length >= MIN_INNER_LENGTH && words.flat().some((word) => word.includes(part));
  return isInside ? words.length : NO_MATCH;
}

const namesOf = ({ name, title, aliases, category }: SearchableChannel): string[] => [
  name,
  title,
  ...aliases,
  ...CATEGORIES[category].words,
];

/** Letters and digits only, in lower case. */
const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

function pairsOf(text: string): Set<string> {
  const padded = ` ${plain(text)} `;
  return new Set(Array.from({ length: padded.length - 1 }, (_, i) => padded.slice(i, i + 2)));
}

/** Share of letter pairs that two words have in common, from 0 to 1. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((pair) => b.has(pair)).length;
  return (2 * common) / (a.size + b.size);
}
