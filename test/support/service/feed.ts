import assert from 'node:assert/strict';

import { Compile } from 'typebox/schema';

import { EVENT_DATA } from '../../../src/http/openapi/event-schemas.ts';
import type { EventType } from '../../../src/model/event.ts';
import { until } from '../until.ts';
import type { Client, Reply } from './client.ts';

/** An event as the API returns it. */
export interface ShownEvent {
  id: number;
  type: EventType;
  timestamp: string;
  data: Reply['body'];
}

/** The whole feed of the application. */
export async function feedOf(app: Client, after = 0): Promise<ShownEvent[]> {
  const events: ShownEvent[] = [];
  for (let last = after; ;) {
    const { body } = await app.get(`/1/events?after=${last}&limit=1000`);
    events.push(...body.data);
    const end = body.data.at(-1);
    if (!end) return events;
    last = end.id;
  }
}

/** Waits until there are `count` events of that type, and checks them against their schema. */
export async function eventsOf(app: Client, type: EventType, count = 1): Promise<ShownEvent[]> {
  const events = await until(`${count} × ${type}`, async () => {
    const found = (await feedOf(app)).filter((event) => event.type === type);
    return found.length >= count && found;
  });
  for (const { data } of events) {
    const [, mistakes] = Compile(EVENT_DATA[type]).Errors(data);
    assert.deepEqual(mistakes, [], `${type}: ${JSON.stringify(data)}`);
  }
  return events;
}
