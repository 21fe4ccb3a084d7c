import { useEffect, useEffectEvent } from 'react';

import { api } from './client.ts';
import { ApiProblem, SessionEnded } from './problem.ts';
import type { FeedEvent } from './types.ts';

const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 15_000;

/**
 * Follows the feed of an application from now on, in order, reconnecting when the connection breaks. Returns the
 * function that stops it.
 */
function listen(
  application: number,
  onEvent: (event: FeedEvent) => void,
  onLive?: (live: boolean) => void,
): () => void {
  let stopped = false;
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let after: number | undefined;
  let retryMs = MIN_RETRY_MS;

  async function open() {
    const { url, last } = await api.get<{ url: string; last: number }>('/1/realtime', {
      application,
    });
    if (stopped) return;
    after ??= last;
    const address = new URL(url);
    // The public URL may differ from the one this page was loaded from, which is known to work.
    address.host = location.host;
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    address.searchParams.set('envelopes', 'true');
    address.searchParams.set('after', String(after));
    const opened = new WebSocket(address);
    socket = opened;
    socket.addEventListener('open', () => {
      if (stopped) {
        opened.close();
        return;
      }
      retryMs = MIN_RETRY_MS;
      onLive?.(true);
    });
    socket.addEventListener('message', ({ data }) => {
      if (stopped) return;
      const event = JSON.parse(String(data)) as FeedEvent;
      after = event.id;
      onEvent(event);
    });
    socket.addEventListener('close', reconnect);
  }

  function reconnect() {
    if (stopped) return;
    onLive?.(false);
    timer = setTimeout(start, retryMs);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }

  function start() {
    open().catch((error: unknown) => {
      // A permanent refusal: the application is disabled or deleted.
      const isRefused = error instanceof ApiProblem && error.status < 429;
      if (!isRefused && !(error instanceof SessionEnded)) reconnect();
    });
  }

  start();
  return () => {
    stopped = true;
    clearTimeout(timer);
    // Closing a connecting socket logs an error in the browser; it is closed once it opens.
    if (socket?.readyState !== WebSocket.CONNECTING) socket?.close();
  };
}

/** Follows the feed while the component is mounted. */
export function useFeed(
  application: number | undefined,
  onEvent: (event: FeedEvent) => void,
  onLive?: (live: boolean) => void,
): void {
  const handleEvent = useEffectEvent(onEvent);
  const handleLive = useEffectEvent((live: boolean) => onLive?.(live));
  useEffect(() => {
    if (application === undefined) return undefined;
    return listen(
      application,
      (event) => handleEvent(event),
      (live) => handleLive(live),
    );
  }, [application]);
}
