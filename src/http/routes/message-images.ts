import { Readable } from 'node:stream';

import { imageTypeOf } from '../../lib/http/image-type.ts';
import { type Route, applicationRoute, noContent, notFound, pathId } from '../server/route.ts';
import { TransferLimit } from '../server/transfer-limit.ts';
import type { Services } from '../services.ts';

const MAX_TRANSFERS = 32;
const MAX_TRANSFERS_PER_APPLICATION = 8;
/** Objects of an activity that are searched for images. */
const MAX_OBJECTS = 1_000;

const gone = () => notFound('the image');

/** Images of messages. The console loads nothing from other sites: they would learn who reads a message. */
export function messageImageRoutes({ store, images }: Services): Route[] {
  const transfers = new TransferLimit({
    max: MAX_TRANSFERS,
    maxPerApplication: MAX_TRANSFERS_PER_APPLICATION,
  });
  return [
    applicationRoute({
      method: 'GET',
      path: '/1/messages/:id/image',
      operationId: 'getMessageImage',
      tag: 'Messages',
      summary: 'Get an image of a message',
      description:
        'Fetches an image of the message from its URL, for previews. PNG, JPEG, GIF, WebP and AVIF up to 5 MB; nothing is stored.',
      query: [
        {
          name: 'url',
          description: 'The `url` of an `Image` of the message.',
          schema: { type: 'string', maxLength: 4096 },
        },
      ],
      evenDisabled: true,
      success: { status: 200, description: 'The image.', type: 'image/*' },
      alternative: {
        status: 204,
        description: 'The image could not be loaded, or is none of these formats.',
      },
      problems: ['not_found', 'overloaded'],
      async handle(call) {
        const { applicationId } = call.caller;
        const message = await store.messages.get(applicationId, pathId(call));
        const { url = '' } = call.query;
        if (!message || !hasImage(JSON.parse(message.activity), url)) throw gone();
        const end = transfers.begin(applicationId);
        const file = await images.fetch(applicationId, url, call.signal).finally(end);
        const type = 'bytes' in file ? imageTypeOf(file.bytes) : undefined;
        if (!('bytes' in file) || type === undefined) return noContent;
        return {
          status: 200,
          stream: Readable.from([file.bytes]),
          headers: {
            'content-type': type,
            'content-length': String(file.bytes.length),
            'content-security-policy': "default-src 'none'; sandbox",
            'cache-control': 'private, max-age=300',
          },
        };
      },
    }),
  ];
}

/** Whether the activity has an image with this URL, in any place. */
function hasImage(activity: unknown, url: string): boolean {
  const open: unknown[] = [activity];
  for (let seen = 0; open.length > 0 && seen < MAX_OBJECTS; seen++) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if ('type' in next && next.type === 'Image' && 'url' in next && next.url === url) return true;
    const members: unknown[] = Object.values(next);
    open.push(...members.slice(0, MAX_OBJECTS));
  }
  return false;
}
