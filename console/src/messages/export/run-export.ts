import { api } from '../../api/client.ts';
import { parseExactly } from '../../api/exact-json.ts';
import type { Message } from '../../api/types.ts';
import { type MessageFilter, filterQuery } from '../filter.ts';
import { type ExportFormat, FORMATS } from './formats.ts';
import type { FileSink } from './save-file.ts';

/** The API's maximum. One page is in memory at a time. */
const PAGE_SIZE = 1_000;

interface ExportRequest {
  application: number;
  filter: MessageFilter;
  format: ExportFormat;
  file: FileSink;
  signal: AbortSignal;
  /** Called after each page, with the number of messages so far. */
  onProgress(count: number): void;
}

/** Writes all messages that match the filter, newest first. Returns their number. */
export async function runExport(request: ExportRequest): Promise<number> {
  const { application, filter, file, signal, onProgress } = request;
  const { head, write } = FORMATS[request.format];
  // The period of a relative filter must not move between pages.
  const query = { ...filterQuery(filter), limit: PAGE_SIZE };
  let count = 0;
  let after: number | undefined;
  try {
    if (head !== '') await file.write(head);
    do {
      signal.throwIfAborted();
      const page = await api.listText('/1/messages', {
        application,
        query: { ...query, starting_after: after },
        signal,
      });
      const { data } = parseExactly(page.text) as { data: Message[] };
      if (data.length > 0) await file.write(data.map(write).join(''));
      count += data.length;
      onProgress(count);
      after = page.next;
    } while (after !== undefined);
    signal.throwIfAborted();
    await file.close();
  } catch (error) {
    await file.abort().catch(() => undefined);
    throw error;
  }
  return count;
}
