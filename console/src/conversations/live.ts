import { useEffect, useState } from 'react';

import { useFeed } from '../api/realtime.ts';
import { useLiveApplication } from '../applications/queries.ts';
import { factsOf } from '../events/event-data.ts';
import {
  isOutdated,
  refreshConversation,
  refreshConversations,
  refreshEntries,
} from './queries.ts';

/** Events that arrive together are shown together. */
const GATHER_MS = 250;

interface OpenView {
  application: number;
  search: string;
  /** The opened conversation. */
  opened: number | undefined;
}

/** Refetches the visible data, once for all events that arrive together. */
class Refresher {
  #shown: OpenView | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  show(shown: OpenView): void {
    this.#shown = shown;
    if (isOutdated(shown.application, shown.search, shown.opened)) this.soon();
  }

  soon(): void {
    this.#timer ??= setTimeout(() => void this.#refresh().catch(() => undefined), GATHER_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shown = undefined;
  }

  async #refresh(): Promise<void> {
    this.#timer = undefined;
    if (!this.#shown) return;
    const { application, search, opened } = this.#shown;
    const [isListNew, areEntriesNew] = await Promise.all([
      refreshConversations(application, search),
      opened === undefined || refreshEntries(application, opened),
      opened !== undefined && refreshConversation(application, opened),
    ]);
    if (!isListNew || !areEntriesNew) this.soon();
  }
}

/** Keeps the list and the opened conversation up to date. */
export function useLiveConversations({ application, search, opened }: OpenView): void {
  const [refresher] = useState(() => new Refresher());
  useFeed(useLiveApplication(application), ({ type, data }) => {
    const isMessage = type.startsWith('message.');
    if (isMessage && factsOf({ type, data }).integration !== undefined) refresher.soon();
  });
  useEffect(
    () => refresher.show({ application, search, opened }),
    [refresher, application, search, opened],
  );
  useEffect(() => () => refresher.stop(), [refresher]);
}
