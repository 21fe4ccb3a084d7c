import { NUMBER_ID, whatsapp } from '../../../src/sandbox/vendors/meta/whatsapp.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';
import { TOKEN, graphError } from './graph.ts';

/* The simulator of WhatsApp, with the people and files that tests need. */
export { NUMBER_ID };

export const PEOPLE = {
  known: '16505551234',
  hidden: 'US.13491208655302741918',
  hiddenFromParent: 'US.ENT.11815799212886844830',
  unreachable: '16505550000',
  silent: '16505550024',
} as const;

export const GROUP = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD';

/** Received files and their addresses. */
export const FILES = {
  here: '1037543291543636',
  elsewhere: '1037543291543637',
} as const;

const LOOKASIDE = 'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1037543291543636';

export async function openWhatsApp(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  return openHttp(async (request) => {
    if (request.headers['authorization'] !== `Bearer ${TOKEN}`) {
      return whatsapp.respond(request, phone);
    }
    if (request.path === `/${FILES.here}`) return file(FILES.here, LOOKASIDE);
    if (request.path === `/${FILES.elsewhere}`) {
      return file(FILES.elsewhere, 'https://evil.example.com/');
    }
    const reply = await whatsapp.respond(request, phone);
    return reply.status === 200 ? (badRecipient(request) ?? reply) : reply;
  });
}

function badRecipient(request: Request): Reply | undefined {
  const number = whatsapp.recipientOf(request);
  if (number === undefined) return undefined;
  if (number === PEOPLE.unreachable) {
    return graphError(131_026, 'Message undeliverable', { details: 'Unable to deliver.' });
  }
  if (number === PEOPLE.silent) {
    return graphError(131_047, 'Re-engagement message', {
      details: 'More than 24 hours have passed since the recipient last replied.',
    });
  }
  const known: readonly string[] = [...Object.values(PEOPLE), GROUP];
  return known.includes(number)
    ? undefined
    : graphError(131_030, 'Recipient phone number not in allowed list');
}

const file = (id: string, url: string): Reply => ({
  status: 200,
  body: {
    messaging_product: 'whatsapp',
    url,
    mime_type: 'image/jpeg',
    sha256: 'a',
    file_size: 7,
    id,
  },
});
