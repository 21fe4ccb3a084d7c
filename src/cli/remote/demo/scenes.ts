import type { Channel, Content, NewTemplate } from '../../../../sdk/src/index.ts';
import type { SandboxFault } from '../../../sandbox/faults.ts';

/* The content of the demo: applications, their messages and their conversations. */

/** One turn of a conversation. */
export type Turn =
  | { app: Content }
  | { person: { text?: string; media?: 'Image' | 'Audio'; place?: true } }
  /** Presses this button of the last message; where it has none, writes its label. */
  | { press: string }
  | { react: string };

export interface Scene {
  name: string;
  /** The categories of channels that it prefers, first to last. */
  categories: readonly Channel['category'][];
  /** The channels that it prefers within a category. */
  channels: readonly string[];
  /** One integration each. */
  labels: readonly string[];
  /** Messages that people get; {n} is a number. */
  traffic: readonly Content[];
  conversations: readonly (readonly Turn[])[];
  /** Faults that its messages meet, one after the other. */
  faults: readonly SandboxFault[];
  templates: readonly NewTemplate[];
  /** The text of scheduled messages. */
  reminder: string;
}

const PHOTO = 'https://www.example.com/parcel.png';
const SITE = 'https://www.example.com/orders/{n}';

const shop: Scene = {
  name: 'Demo shop',
  categories: ['chat', 'sms', 'email'],
  channels: ['whatsapp', 'telegram', 'twilio', 'email', 'vonage'],
  labels: ['Order updates', 'Delivery', 'Receipts', 'Returns', 'Second SMS provider'],
  traffic: [
    { title: 'Order {n} is confirmed', markdown: 'Thank you! Your order **{n}** is confirmed.' },
    { markdown: 'Your order **{n}** has left our warehouse. It arrives *tomorrow*.' },
    { text: 'Order {n}: the courier is two stops away.' },
    { text: 'Order {n} was delivered to your neighbor.', image: PHOTO },
    { title: 'Receipt {n}', markdown: `Here is the [receipt of order {n}](${SITE}).` },
    { text: 'We refunded 24.90 EUR for order {n}.' },
  ],
  conversations: [
    [
      {
        app: {
          markdown: 'Your order **1042** arrives today between 14:00 and 16:00. Are you at home?',
          buttons: ['Yes', 'With a neighbor'],
        },
      },
      { press: 'With a neighbor' },
      { app: { text: 'We will leave it with a neighbor and send you a photo.' } },
      { app: { text: 'Your parcel is with the Müllers, second floor.', image: PHOTO } },
      { person: { text: 'Thank you!' } },
    ],
    [
      { person: { text: 'Where is my order 1043?' } },
      { app: { markdown: 'It is *on its way*: our depot sent it an hour ago.' } },
      { person: { text: 'Can you deliver it here instead?' } },
      { person: { place: true } },
      { app: { text: 'Yes. We changed the address.' } },
      { react: '👍' },
    ],
  ],
  faults: ['read', 'blocked', 'unknown', 'stop'],
  templates: [
    {
      name: 'order_shipped',
      default_language: 'en',
      contents: {
        en: { content: 'Hi {{ name }}, your order {{ order }} is on its way.' },
        de: { content: 'Hallo {{ name }}, deine Bestellung {{ order }} ist unterwegs.' },
      },
    },
    {
      name: 'refund',
      default_language: 'en',
      contents: { en: { content: 'We refunded {{ amount }} for order {{ order }}.' } },
    },
  ],
  reminder: 'How do you like your order? Reply with 1 to 5.',
};

const support: Scene = {
  name: 'Demo support',
  categories: ['chat', 'own', 'email'],
  channels: ['telegram', 'messenger', 'line', 'viber'],
  labels: ['Help desk', 'Returns desk', 'Appointments', 'Feedback'],
  traffic: [
    { text: 'Your ticket {n} is with our team. We answer within two hours.' },
    { markdown: 'Ticket **{n}** is solved. Did we help?', buttons: ['Yes', 'No'] },
    { text: 'Reminder: your appointment {n} is tomorrow at 09:30.' },
    { markdown: 'Ticket {n}: please restart the router and check the **green** light.' },
  ],
  conversations: [
    [
      { person: { text: 'Hello, my coffee machine leaks.' } },
      { app: { text: 'Sorry to hear that. Can you send us a photo?' } },
      { person: { media: 'Image', text: 'Here it is' } },
      {
        app: {
          markdown: 'That is the **seal**. What do you prefer?',
          buttons: ['Send a new seal', 'Repair', 'Refund'],
        },
      },
      { press: 'Send a new seal' },
      { app: { markdown: 'Done. The seal arrives on *Friday*, free of charge.' } },
      { react: '❤️' },
    ],
    [
      { person: { text: 'Do you open on Saturday?' } },
      { app: { text: 'Yes, from 10:00 to 16:00. You find us here:' } },
      { app: { place: { latitude: 52.52, longitude: 13.405, name: 'Shop in Berlin' } } },
      { person: { media: 'Audio' } },
      { app: { text: 'See you on Saturday!' } },
    ],
  ],
  faults: ['read', 'limited', 'blocked', 'repeated_webhook'],
  templates: [
    {
      name: 'appointment_reminder',
      default_language: 'en',
      contents: { en: { content: 'Your appointment is on {{ day }} at {{ time }}.' } },
    },
  ],
  reminder: 'Reminder: your appointment is today at 15:00.',
};

const alerts: Scene = {
  name: 'Demo alerts',
  categories: ['team-chat', 'push', 'sms'],
  channels: ['slack', 'ms-teams', 'discord', 'ntfy'],
  labels: ['On call', 'Deployments', 'Backups', 'Monitoring'],
  traffic: [
    { markdown: '**Deployed** `api` {n} to production in 42 s.' },
    { title: 'Disk almost full', text: 'db-2: 91 % of the disk is used (check {n}).' },
    { markdown: 'Backup {n} finished: **12.4 GB**, `0` errors.' },
    { text: 'Check {n} recovered: the response time is below 200 ms again.' },
  ],
  conversations: [
    [
      {
        app: {
          markdown: '**API errors above 2 %** for five minutes. Who takes it?',
          buttons: ['I do', 'Not me'],
        },
      },
      { press: 'I do' },
      { person: { text: 'Rolling back the last deployment.' } },
      { app: { markdown: 'Errors are back to `0.1 %`. *Incident 7* is closed.' } },
      { react: '🎉' },
    ],
  ],
  faults: ['server_error', 'lost_answer', 'unknown', 'limited'],
  templates: [
    {
      name: 'incident',
      default_language: 'en',
      contents: {
        en: { content: '**{{ service }}** is {{ state }}.', mediaType: 'text/markdown' },
      },
    },
  ],
  reminder: 'Maintenance of db-2 starts in ten minutes.',
};

export const SCENES: readonly Scene[] = [shop, support, alerts];

/** The position in a list of preferences; other values come last. */
function rank(list: readonly string[], value: string): number {
  const at = list.indexOf(value);
  return at === -1 ? list.length : at;
}

/** The channels of a scene, as many as it has labels: preferred ones first, and none twice before all are used. */
export function channelsFor(scene: Scene, available: readonly Channel[]): Channel[] {
  const ranked = available.toSorted(
    (a, b) =>
      rank(scene.channels, a.name) - rank(scene.channels, b.name) ||
      rank(scene.categories, a.category) - rank(scene.categories, b.category),
  );
  return scene.labels.flatMap((_, i) => ranked[i % ranked.length] ?? []);
}
