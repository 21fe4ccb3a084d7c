import { Readable } from 'node:stream';

import Type from 'typebox';

import { originsOf, webmessenger } from '../../channels/webmessenger.ts';
import { MAX_FILE_BYTES } from '../../chat/limits.ts';
import { type Visitor, refused } from '../../chat/visitors.ts';
import { parseId } from '../../model/id.ts';
import { Problem, invalidFields } from '../../model/problem.ts';
import { type Asset, EMBED, chatAssets } from '../pages/chat-assets.ts';
import { chatPage } from '../pages/chat-page.ts';
import {
  type Answer,
  type ArrivingRequest,
  type Route,
  applicationRoute,
  created,
  noContent,
  notFound,
  ok,
  openRoute,
  pathId,
} from '../server/route.ts';
import type { Services } from '../services.ts';

const tag = 'Web chat';

const SessionSchema = Type.Object(
  {
    visitor: Type.String({ description: 'The visitor id that the application sees.' }),
    token: Type.String({ description: "The visitor's token; the browser stores it." }),
    signed: Type.Boolean({ description: "Whether the application signed the visitor's identity." }),
    socket: Type.String({ description: 'WebSocket URL, valid for 30 seconds.' }),
  },
  { title: 'ChatSession' },
);

const FileSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    mediaType: Type.String(),
    size: Type.Integer(),
  },
  { title: 'ChatFile' },
);

const Begin = Type.Object(
  {
    token: Type.Optional(Type.String({ maxLength: 8192 })),
    identity: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  { title: 'ChatBeginning' },
);

const Typing = Type.Object(
  { to: Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) }) },
  { title: 'Typing' },
);

/** The web chat page and its requests. Messages go through its WebSocket. */
export function chatRoutes({ chat, store }: Services): Route[] {
  const { visitors, uploads, conversations } = chat;
  const chatIn = (call: AnyCall) => visitors.chat(parseId(call.params['id']));

  async function visitorOf(call: AnyCall): Promise<Visitor> {
    const opened = await chatIn(call);
    const [, token] = /^Bearer (\S+)$/i.exec(call.headers.authorization ?? '') ?? [];
    const visitor = token === undefined ? undefined : visitors.byToken(opened, token);
    if (!visitor) throw refused('the token belongs to no visitor of this chat');
    return visitor;
  }

  return [
    openRoute({
      method: 'GET',
      path: '/webmessenger.js',
      operationId: 'getChatScript',
      tag,
      summary: 'Get the script that embeds the chat',
      description:
        'Load it with a `script` element: `src="…/webmessenger.js" data-integration="6" async`, and `data-identity` for a visitor who is signed in to your site.',
      success: { status: 200, description: 'A script.', type: 'text/javascript' },
      async handle(call) {
        const { files } = await chatAssets();
        return assetAnswer(call, files.get(EMBED), 'public, max-age=300');
      },
    }),
    openRoute({
      method: 'GET',
      path: '/webmessenger/:hash/:file',
      operationId: 'getChatAsset',
      tag,
      summary: 'Get an asset of the chat page',
      success: { status: 200, description: 'A script or a style sheet.', type: '*/*' },
      problems: ['not_found'],
      async handle(call) {
        const { hash, files } = await chatAssets();
        // A page loaded before an update gets the current file.
        const isCurrent = call.params['hash'] === hash;
        const age = isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache';
        return assetAnswer(call, files.get(call.params['file'] ?? ''), age);
      },
    }),
    openRoute({
      method: 'GET',
      path: '/chat/:id',
      operationId: 'getChatPage',
      tag,
      summary: 'Get the chat page',
      description:
        'The page of a `webmessenger` integration. Append `#identity=` and a signed JWT for a visitor whom the application knows.',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      problems: ['not_found'],
      async handle(call) {
        const { credentials } = await chatIn(call);
        const { hash } = await chatAssets();
        const title = credentials.username ?? 'Chat';
        // A proxy may serve the service below a path.
        const path = URL.parse(call.baseUrl())?.pathname.replace(/\/$/, '') ?? '';
        const assets = `${path}/webmessenger/${hash}`;
        return page(chatPage(title, assets), originsOf(credentials.address));
      },
    }),
    openRoute({
      method: 'POST',
      path: '/chat/:id/session',
      operationId: 'openChat',
      tag,
      summary: 'Start a chat session',
      description:
        "For the chat page: continues with the visitor's `token`, signs in with an `identity` that the application signed, or creates a guest.",
      checkBeforeBody: async (request) => void (await chatIn(request)),
      body: Begin,
      example: { token: 'k1.cWE0YjJm…' },
      success: { status: 200, description: 'The visitor.', schema: SessionSchema },
      problems: ['not_found', 'integration_disabled', 'visitor_refused', 'rate_limited'],
      async handle(call) {
        const { token, identity } = call.body;
        const integration = await chatIn(call);
        const session = await visitors.begin(
          integration,
          { ...(token !== undefined && { token }), ...(identity !== undefined && { identity }) },
          call.ip,
        );
        const socket = `/chat/${integration.id}/socket?ticket=${encodeURIComponent(session.ticket)}`;
        return {
          ...ok({ visitor: session.visitor, token: session.token, signed: session.signed, socket }),
          headers: { 'cache-control': 'no-store' },
        };
      },
    }),
    openRoute({
      method: 'POST',
      path: '/chat/:id/files',
      operationId: 'uploadChatFile',
      tag,
      summary: 'Upload a file to the chat',
      description:
        "For the chat page, with the visitor's token. The body is the file; `name` in the query is its file name.",
      query: [{ name: 'name', description: 'File name.', schema: { type: 'string' } }],
      raw: true,
      bodyLimit: MAX_FILE_BYTES,
      checkBeforeBody: async (request) => void (await visitorOf(request)),
      success: { status: 201, description: 'Uploaded; ready to send.', schema: FileSchema },
      problems: ['not_found', 'visitor_refused', 'rate_limited', 'chat_full', 'empty_body'],
      async handle(call) {
        const visitor = await visitorOf(call);
        const { query, bytes, headers } = call;
        const file = { bytes, name: query['name'] ?? '', mediaType: headers['content-type'] ?? '' };
        const { id, name, mediaType, size } = await uploads.take(visitor, file, call.ip);
        return created(`/chat/${visitor.integrationId}/files/${id}`, { id, name, mediaType, size });
      },
    }),
    openRoute({
      method: 'GET',
      path: '/chat/:id/files/:file',
      operationId: 'getChatFile',
      tag,
      summary: 'Get an uploaded chat file',
      description: 'With the token of the visitor who uploaded it.',
      success: { status: 200, description: 'The file.', type: '*/*' },
      problems: ['not_found', 'visitor_refused'],
      async handle(call) {
        const visitor = await visitorOf(call);
        const file = await uploads.get(visitor, call.params['file'] ?? '');
        if (!file) throw notFound('the file');
        return {
          status: 200,
          stream: Readable.from([Buffer.from(file.bytes)]),
          headers: {
            'content-type': file.mediaType,
            'content-length': String(file.size),
            'content-disposition': 'attachment',
            'content-security-policy': "default-src 'none'; sandbox",
            'cache-control': 'private, max-age=3600',
          },
        };
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/integrations/:id/typing',
      operationId: 'showTyping',
      tag,
      summary: 'Show a typing indicator to a visitor',
      description:
        'For `webmessenger` integrations. The indicator disappears after some seconds, or when a message arrives.',
      body: Typing,
      example: { to: { id: webmessenger.recipient.example } },
      success: { status: 204, description: 'Shown, if the visitor is connected.' },
      problems: ['not_found', 'unsupported'],
      async handle(call) {
        const { applicationId } = call.caller;
        const integration = await store.integrations.get(applicationId, pathId(call));
        if (!integration) throw notFound('the integration');
        if (integration.name !== webmessenger.name) {
          throw new Problem('unsupported', `${integration.name} has no typing indicator`);
        }
        const { id: visitor } = call.body.to;
        const key = { applicationId, integrationId: integration.id, visitor };
        if (!(await conversations.type(key))) {
          throw invalidFields({ pointer: '/to/id', detail: 'must be a known visitor' });
        }
        return noContent;
      },
    }),
  ];
}

type AnyCall = ArrivingRequest;

/** Only the page's own script runs; images and audio may come from any host. */
function page(text: string, origins: string[] | undefined): Answer {
  const ancestors = origins === undefined ? '*' : origins.join(' ') || "'none'";
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src https: http: blob:',
    'media-src https: http:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    status: 200,
    text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'no-referrer',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'cache-control': 'no-cache',
    },
  };
}

function assetAnswer(call: AnyCall, asset: Asset | undefined, cacheControl: string): Answer {
  if (!asset) throw notFound('the file');
  const headers = {
    'content-type': asset.type,
    'cache-control': cacheControl,
    vary: 'accept-encoding',
    'cross-origin-resource-policy': 'cross-origin',
  };
  if (!/\bgzip\b/.test(call.headers['accept-encoding'] ?? '')) {
    return { status: 200, text: asset.text, headers };
  }
  return {
    status: 200,
    stream: Readable.from([asset.gzipped]),
    headers: { ...headers, 'content-encoding': 'gzip' },
  };
}
