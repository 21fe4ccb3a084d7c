import { member, textMember } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, openHttp } from './server/http.ts';

/*
 * The parts of a Gotify server that we use, at least as strict as documented: fields that Gotify would silently
 * ignore are refused. https://gotify.net/api-docs
 */
export const TOKEN = 'Afake-of-an-app';

const NAMES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  500: 'Internal Server Error',
};

export const gotifyError = (status: number, errorDescription: string): Reply => ({
  status,
  body: { error: NAMES[status] ?? '', errorCode: status, errorDescription },
});

const FIELDS = ['message', 'title', 'extras', 'priority'];
const EXTRAS = ['client::display', 'client::notification'];

export async function openGotify(): Promise<HttpPeer> {
  let last = 24;
  return openHttp(({ method, path, headers, json }) => {
    if (method !== 'POST' || path !== '/message') return gotifyError(404, 'page not found');
    if (headers['x-gotify-key'] !== TOKEN) {
      return gotifyError(401, 'you need to provide a valid access token or user credentials');
    }
    if (headers['content-type'] !== 'application/json')
      return gotifyError(400, 'EMULATOR: no JSON');
    if (typeof json !== 'object' || json === null) return gotifyError(400, 'EOF');
    const message = member(json, 'message') ?? '';
    if (typeof message !== 'string') return gotifyError(400, 'json: cannot unmarshal');
    if (message === '') return gotifyError(400, "Field 'message' is required");
    const extras = member(json, 'extras') ?? {};
    const unknown = [
      ...Object.keys(json).filter((field) => !FIELDS.includes(field)),
      ...Object.keys(extras).filter((field) => !EXTRAS.includes(field)),
    ];
    const notification = Object(member(extras, 'client::notification'));
    const { bigImageUrl = 'https://', click = { url: 'https://' }, ...others } = notification;
    const areUrls = [bigImageUrl, member(click, 'url')].every((url) =>
      /^https?:/.test(String(url)),
    );
    const priority = member(json, 'priority') ?? 0;
    if (!areUrls || Object.keys(others).length > 0 || !Number.isInteger(priority)) {
      return gotifyError(400, 'EMULATOR: notification or priority');
    }
    if (unknown.length > 0) return gotifyError(400, `EMULATOR: unknown field ${unknown.join()}`);
    if (Buffer.byteLength(message) > 65_535) return gotifyError(500, 'Data too long for column');
    const title = textMember(json, 'title') ?? 'the application';
    const date = '2026-11-15T10:00:00Z';
    return { status: 200, body: { id: ++last, appid: 5, message, title, priority, date } };
  });
}
