import assert from 'node:assert/strict';

import { discord } from '../../../src/channels/discord/channel.ts';
import type { InboundEvent } from '../../../src/channels/inbound.ts';
import { TOKEN } from '../../emulators/discord/api.ts';
import { type GatewaySettings, openGateway } from '../../emulators/discord/gateway.ts';
import { openContext } from '../suite.ts';

/* Listens as the engine does: session after session, each resuming from the last cursor. */

export type Gateway = Awaited<ReturnType<typeof openGateway>>;

/** Runs a test with a gateway and a function that starts the next session. */
export async function listening(
  settings: GatewaySettings,
  use: (asked: { gateway: Gateway; listen: ReturnType<typeof listener> }) => Promise<void>,
) {
  const gateway = await openGateway(settings);
  try {
    await use({ gateway, listen: listener(gateway) });
  } finally {
    await gateway.close();
  }
}

function listener(gateway: Gateway) {
  let cursor: string | undefined;
  /** One session: its events and its end. */
  return (credentials: object = { token: TOKEN }, store = () => {}) => {
    const inboundEvents: InboundEvent[] = [];
    const waiting = new Set<() => void>();
    const abort = new AbortController();
    let isConnected = false;
    const run = async () => {
      await using context = openContext({ credentials, url: gateway.url });
      const ended = await discord.listen?.({
        ...context,
        signal: AbortSignal.any([context.signal, abort.signal]),
        cursor,
        connected: () => void (isConnected = true),
        notConfigured: () => assert.fail('Discord always has a gateway'),
        async emit(more, next) {
          assert.ok(isConnected || more.length === 0, 'an event before the session');
          await Promise.resolve();
          store();
          inboundEvents.push(...more.filter(({ what }) => what !== 'nothing'));
          if (next !== undefined) cursor = next;
          for (const resolve of waiting) resolve();
        },
      });
      return { ended, concealed: context.concealed };
    };
    const done = run();
    return {
      inboundEvents,
      done,
      cursor: () => cursor,
      abort: () => abort.abort(),
      /** Resolves when `holds` returns true; checks after each event. Rejects when the session ends first. */
      async until(holds: () => boolean) {
        const over = done.then(({ ended }) => {
          assert.ok(holds(), `the session ended: ${JSON.stringify(ended)}`);
        });
        while (!holds()) {
          const { promise, resolve } = Promise.withResolvers<void>();
          waiting.add(resolve);
          await Promise.race([promise, over]);
        }
        // The session may still fail later; this test no longer cares.
        over.catch(() => {});
      },
    };
  };
}
