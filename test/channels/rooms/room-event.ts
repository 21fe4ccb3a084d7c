import type { InboundEvent } from '../../../src/channels/inbound.ts';

/** An event in a shared room, and whom it must name. */
export type RoomEvent = readonly [
  channel: string,
  what: string,
  row: {
    room: string;
    person: string;
    /** The body of the vendor's webhook request, or the events read by a session. */
    webhook?: object | string;
    received?(): readonly (InboundEvent | undefined)[];
  },
];
