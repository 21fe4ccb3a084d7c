import Type from 'typebox';

import { MAX_FILE_BYTES } from '../../../chat/limits.ts';
import { fileAnswer } from '../../server/file-response.ts';
import { type Route, applicationRoute, created, notFound, pathId } from '../../server/route.ts';
import type { Services } from '../../services.ts';

export const UploadedFileSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    mediaType: Type.String(),
    size: Type.Integer({ description: 'In bytes.' }),
    url: Type.String({
      description: 'For `url` of an object of a message. It requires a token of the application.',
    }),
  },
  { title: 'UploadedFile' },
);

const tag = 'Conversations';

/** Files that an application uploads, to send them to the person. */
export function conversationFileRoutes({ store, chat, files }: Services): Route[] {
  return [
    applicationRoute({
      method: 'POST',
      path: '/1/conversations/:id/files',
      operationId: 'uploadConversationFile',
      tag,
      summary: 'Upload a file to a conversation',
      description:
        'The body is the file, with its media type as `Content-Type`; at most 10 MiB. Nothing is sent yet: send a message with the returned `url`. The file has the retention of messages, and is erased with the person.',
      query: [{ name: 'name', description: 'File name.', schema: { type: 'string' } }],
      raw: true,
      bodyLimit: MAX_FILE_BYTES,
      success: {
        status: 201,
        description: 'Uploaded.',
        schema: UploadedFileSchema,
        headers: ['Location'],
      },
      problems: ['not_found', 'empty_body', 'chat_full'],
      async handle(call) {
        const { applicationId } = call.caller;
        const conversation = await store.conversations.get(applicationId, pathId(call));
        if (!conversation) throw notFound('the conversation');
        const { integrationId, recipient: visitor } = conversation;
        const { bytes, headers, query } = call;
        const { id, name, mediaType, size } = await chat.uploads.add(
          { applicationId, integrationId, visitor },
          { bytes, name: query['name'] ?? '', mediaType: headers['content-type'] ?? '' },
        );
        const path = `/1/conversations/${conversation.id}/files/${id}`;
        const url = `${call.baseUrl()}${path}?application=${applicationId}`;
        return created(path, { id, name, mediaType, size, url });
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/conversations/:id/files/:file',
      operationId: 'getConversationFile',
      tag,
      summary: 'Get an uploaded file of a conversation',
      evenDisabled: true,
      success: { status: 200, description: 'The file.', type: '*/*' },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const place = {
          applicationId,
          conversation: pathId(call),
          file: call.params['file'] ?? '',
        };
        const reference = await files.find(place);
        if (!reference) throw notFound('the file');
        return fileAnswer(await files.fetch(applicationId, reference, call.signal));
      },
    }),
  ];
}
