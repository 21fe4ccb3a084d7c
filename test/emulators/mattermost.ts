import { TOKEN, mattermost, mattermostError } from '../../src/sandbox/vendors/team/mattermost.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Mattermost, with one channel, an archived one, and smaller files. */
export { TOKEN, mattermostError };

export const CHANNEL = '4xp9fdt77pncbef59f4k1qe83o';
export const ARCHIVED = 'archived77pncbef59f4k1qe83';
export const BEFORE = 'before0077pncbef59f4k1qe83';
export const FIRST = 'post0001aaaaaaaaaaaaaaaaaa';
export const SECOND = 'post0002aaaaaaaaaaaaaaaaaa';
export const MAX_BYTES = 100_000;

export async function openMattermost(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  phone.put(CHANNEL, BEFORE, { text: 'before' });
  return openHttp(async (request) => {
    const isAllowed = request.headers['authorization'] === `Bearer ${TOKEN}`;
    const refused = isAllowed ? refusalOf(request) : undefined;
    return refused ?? mattermost.respond(request, phone);
  });
}

function refusalOf(request: Request): Reply | undefined {
  const { path, form, bytes } = request;
  const isUpload = path === '/api/v4/files' && request.method === 'POST';
  if (isUpload && bytes.length > MAX_BYTES) {
    return mattermostError(413, 'api.file.upload_file.too_large_detailed.app_error');
  }
  const channel = isUpload ? form?.['channel_id'] : mattermost.recipientOf(request);
  if (channel === ARCHIVED && !isUpload) {
    return mattermostError(400, 'api.post.create_post.can_not_post_to_deleted.error');
  }
  if (channel === undefined || channel === CHANNEL) return undefined;
  return mattermostError(403, 'api.context.permissions.app_error');
}
