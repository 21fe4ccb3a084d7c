import type {
  Actor,
  Person,
  ReportContext,
  Reports,
  WebhookRequest,
  WrittenMessage,
} from '../../simulator.ts';

/* Telegram's webhook requests. https://core.telegram.org/bots/api#update */

export const updates: Reports = {
  message(written, context) {
    const chat = chatOf(written);
    const { replyTo } = written;
    const message = {
      ...headOf(written, context),
      ...contentOf(written),
      ...(replyTo && { reply_to_message: { message_id: messageNumber(replyTo.vendorId), chat } }),
    };
    return { ...update({ message }, context), id: `${chat.id}:${context.number}` };
  },

  press({ message, button, ...actor }, context) {
    const keys = (message.entry.buttons ?? []).map(({ label, value, url }) => [
      url === undefined ? { text: label, callback_data: value } : { text: label, url },
    ]);
    const query = {
      id: String(context.number),
      from: userOf(actor.person),
      chat_instance: '1',
      data: button.value,
      message: {
        message_id: messageNumber(message.vendorId),
        date: Math.floor(message.createdAt / 1000),
        chat: chatOf(actor),
        reply_markup: { inline_keyboard: keys },
      },
    };
    return update({ callback_query: query }, context);
  },

  join: (actor, context) =>
    actor.room
      ? update(
          { message: { ...headOf(actor, context), new_chat_members: [userOf(actor.person)] } },
          context,
        )
      : membership(actor, 'member', context),

  leave: (actor, context) =>
    actor.room
      ? update(
          { message: { ...headOf(actor, context), left_chat_member: userOf(actor.person) } },
          context,
        )
      : membership(actor, 'kicked', context),

  block: (actor, context) => membership(actor, 'kicked', context),
  unblock: (actor, context) => membership(actor, 'member', context),
};

function update(content: object, { number, credentials }: ReportContext): WebhookRequest {
  return {
    headers: {
      'content-type': 'application/json',
      'x-telegram-bot-api-secret-token': credentials.secret ?? '',
    },
    body: JSON.stringify({ update_id: number, ...content }),
  };
}

const idOf = ({ address }: Person) => Number(address);

function userOf(person: Person) {
  const [first_name = '', ...rest] = person.name.split(' ');
  const last = rest.join(' ');
  return { id: idOf(person), is_bot: false, first_name, ...(last !== '' && { last_name: last }) };
}

function chatOf({ person, room }: Actor) {
  if (room) return { id: idOf(room), type: 'supergroup', title: room.name };
  const { is_bot: _, ...named } = userOf(person);
  return { ...named, type: 'private' };
}

const headOf = (actor: Actor, { now, number }: ReportContext) => ({
  message_id: number,
  date: Math.floor(now / 1000),
  chat: chatOf(actor),
  from: userOf(actor.person),
});

/** https://core.telegram.org/bots/api#message */
function contentOf({ text, media, place }: WrittenMessage): object {
  const caption = text === undefined ? {} : { caption: text };
  if (place) {
    const { latitude, longitude, name } = place;
    const location = { latitude, longitude };
    if (name === undefined) return { location };
    return { location, venue: { location, title: name, address: name } };
  }
  if (!media) return { text };
  const { id, name, mediaType, bytes } = media.file;
  const file = { file_id: id, file_unique_id: id, file_size: bytes.length };
  switch (media.type) {
    case 'Image':
      return { photo: [{ ...file, width: 64, height: 48 }], ...caption };
    case 'Audio':
      return { voice: { ...file, duration: 1, mime_type: mediaType }, ...caption };
    case 'Video':
      return {
        video: { ...file, width: 64, height: 48, duration: 1, mime_type: mediaType },
        ...caption,
      };
    case 'Document':
      return { document: { ...file, file_name: name, mime_type: mediaType }, ...caption };
  }
}

const messageNumber = (vendorId: string) => Number(vendorId.split(':').at(-1));

/** In a private chat, a person blocks and unblocks the bot. */
function membership(
  actor: Actor,
  status: 'kicked' | 'member',
  context: ReportContext,
): WebhookRequest {
  const bot = { id: 4242, is_bot: true, first_name: 'Example', username: 'example_bot' };
  const before = status === 'kicked' ? 'member' : 'kicked';
  const { message_id: _, ...head } = headOf(actor, context);
  return update(
    {
      my_chat_member: {
        ...head,
        old_chat_member: { user: bot, status: before },
        new_chat_member: { user: bot, status },
      },
    },
    context,
  );
}
