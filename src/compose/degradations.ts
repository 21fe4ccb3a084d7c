/* How unsupported content degrades: one table of rules for all channels. */
export const DEGRADED = {
  image: 'a link to it',
  video: 'a link to it',
  audio: 'a link to it',
  document: 'a link to it',
  file: 'a file without a preview',
  place: 'its name, its coordinates and a link to a map',
  buttons: 'a numbered list below the text',
  value: 'left out',
  contact: 'a line with its number or email address',
  formatting: 'plain text, with the URL of each link in brackets after its text',
  table: 'lines of text, with bars between the cells',
  list: 'a list of one level',
  heading: 'a line in bold',
  language: 'code without its language',
  link: 'its text, without the URL',
  caption: 'a message of its own',
  length: 'several messages',
  title: 'left out',
  long_title: 'a line above the text',
  reply: 'a message that is not a reply',
  thread: 'a message outside the thread',
} as const;

type Degraded = keyof typeof DEGRADED;

/** One difference between the message as written and as sent. */
export interface Degradation {
  what: Degraded;
  became: string;
  why: string;
}

/** Collects degradations without duplicates. */
export class Degradations {
  readonly list: Degradation[] = [];

  add(what: Degraded, why: string): void {
    const isKnown = this.list.some(
      (degradation) => degradation.what === what && degradation.why === why,
    );
    if (!isKnown) this.list.push({ what, became: DEGRADED[what], why });
  }
}
