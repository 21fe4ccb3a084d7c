import type { MediaPlace } from '../../model/media-place.ts';
import { servedFile } from '../server/file-response.ts';
import {
  type Answer,
  type Call,
  type Parameter,
  type Route,
  notFound,
  openRoute,
  pathId,
  pathNumber,
} from '../server/route.ts';
import { TransferLimit } from '../server/transfer-limit.ts';
import type { Services } from '../services.ts';

const QUERY: readonly Parameter[] = [
  {
    name: 'expires',
    description: 'Expiry of the URL, in Unix time.',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'signature',
    description: 'Signature of the rest of the URL.',
    schema: { type: 'string' },
  },
];

/** Concurrent transfers to vendors per node, and per application. */
const MAX_TRANSFERS = 64;
const MAX_TRANSFERS_PER_APPLICATION = 16;

/** Vendors fetch received and uploaded files here when an application sends them. */
export function mediaRoutes({ files }: Services): Route[] {
  const transfers = new TransferLimit({
    max: MAX_TRANSFERS,
    maxPerApplication: MAX_TRANSFERS_PER_APPLICATION,
  });

  return [
    openRoute({
      method: 'GET',
      path: '/1/media/:application/:event/:number/:name',
      operationId: 'getSignedMedia',
      tag: 'Events',
      summary: 'Fetch a received file by its signed address',
      description:
        'For vendors that fetch files by URL. When an application sends a received file, the vendor gets such a URL, valid for seven days. `Range` works if the size of the file is known.',
      query: QUERY,
      success: { status: 200, description: 'The file.', type: '*/*' },
      alternative: { status: 206, description: 'The requested range.' },
      problems: ['not_found', 'range_not_satisfiable', 'vendor_unavailable', 'overloaded'],
      async handle(call) {
        const event = pathNumber(call, 'event');
        const number = pathNumber(call, 'number');
        return serve(call, { applicationId: pathId(call, 'application'), event, number });
      },
    }),
    openRoute({
      method: 'GET',
      path: '/1/media/:application/conversations/:conversation/:file/:name',
      operationId: 'getSignedUpload',
      tag: 'Conversations',
      summary: 'Fetch an uploaded file by its signed address',
      description:
        'For vendors that fetch files by URL. When an application sends a file that it uploaded to a conversation, the vendor gets such a URL, valid for seven days.',
      query: QUERY,
      success: { status: 200, description: 'The file.', type: '*/*' },
      alternative: { status: 206, description: 'The requested range.' },
      problems: ['not_found', 'range_not_satisfiable', 'overloaded'],
      handle: (call) =>
        serve(call, {
          applicationId: pathId(call, 'application'),
          conversation: pathId(call, 'conversation'),
          file: call.params['file'] ?? '',
        }),
    }),
  ];

  async function serve(call: OpenCall, place: MediaPlace): Promise<Answer> {
    const { expires = '', signature = '' } = call.query;
    const name = call.params['name'] ?? '';
    if (!files.isSigned(place, name, expires, signature)) throw gone();
    const reference = await files.find(place);
    if (!reference) throw gone();
    const { signal } = call;
    const end = transfers.begin(place.applicationId);
    signal.addEventListener('abort', end, { once: true });
    return servedFile(await files.fetch(place.applicationId, reference, signal), call);
  }
}

type OpenCall = Parameters<typeof servedFile>[1] &
  Pick<Call<unknown, unknown>, 'params' | 'query' | 'signal'>;

const gone = () => notFound('the file');
