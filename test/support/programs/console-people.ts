import assert from 'node:assert/strict';

import type { Client } from '../service/client.ts';
import { eventsOf } from '../service/feed.ts';

/* People, pools and templates for the pages of the console. */

export interface PeopleIds {
  conversation: number;
  contact: number;
  template: number;
  /** The integration whose phone this is. */
  phone: number;
}

export interface PeopleOptions {
  application: number;
  /** An integration for a pool. */
  integration: number;
  /** What everything is named and everybody writes. */
  name: string;
  contacts: number;
}

/** Somebody who writes on Telegram and gets an answer, contacts, a pool and a template. */
export async function addPeople(app: Client, options: PeopleOptions): Promise<PeopleIds> {
  const { application, integration, name, contacts } = options;
  const { body: telegram } = await app.post('/1/integrations', {
    application_id: application,
    name: 'telegram',
    state: 'enable',
    mode: 'sandbox',
    label: name.slice(0, 100),
  });
  for (const text of [name, 'Is anybody there?']) {
    const { status } = await app.post(`/1/sandbox/${telegram.id}/reply`, { text });
    assert.ok(status < 300);
  }
  await eventsOf(app, 'message.received', 2);
  const addresses = [
    { channel: 'sandbox.telegram', address: '123456789', label: name.slice(0, 100) },
    { channel: 'email', address: `${name.slice(0, 60).replaceAll(' ', '-')}@example.com` },
    { channel: 'sms', address: '+15558675310', state: 'disabled', preference: 10 },
  ];
  for (let i = 1; i < contacts; i++)
    await app.post('/1/contacts', { name: `${name} ${i}`.slice(-200) });
  const { body: contact, text } = await app.post('/1/contacts', {
    name,
    external_id: name,
    locale: 'en-GB',
    timezone: 'Europe/London',
    fields: { plan: name },
    addresses,
  });
  assert.ok(contact.id, text);
  const { status } = await app.post('/1/pools', {
    name: name.slice(0, 60).toLowerCase().replaceAll(' ', '-'),
    strategy: 'weighted',
    members: [{ integration_id: integration, weight: 3 }],
  });
  assert.equal(status, 201);
  const { body: template } = await app.post('/1/templates', {
    name: name.slice(0, 60).toLowerCase().replaceAll(' ', '_'),
    default_language: 'en',
    contents: { en: { content: `Hello {{ name }}, ${name}` } },
  });
  assert.ok(template.id);
  const { body } = await app.get(`/1/conversations?contact_id=${contact.id}`);
  return {
    conversation: body.data[0].id,
    contact: contact.id,
    template: template.id,
    phone: telegram.id,
  };
}
