import { useMutation } from '@tanstack/react-query';
import { FileText, Link2, Paperclip, SendHorizontal, SquareMousePointer } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';

import type { Channel, Conversation } from '../../api/types.ts';
import { sendMessage } from '../../messages/queries.ts';
import { Button } from '../../ui/form/button.tsx';
import { Form } from '../../ui/form/form.tsx';
import { Textarea } from '../../ui/form/input.tsx';
import { useMedia } from '../../ui/media.ts';
import { Notice, ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { refreshEntries } from '../queries.ts';
import { ButtonRows, FileRow } from './attachments.tsx';
import {
  EMPTY,
  type ReplyDraft,
  activityOf,
  chosenFile,
  draftOf,
  isComplete,
  keepDraft,
} from './reply-draft.ts';
import { TemplateDialog } from './template-dialog.tsx';
import { uploadFile } from './upload.ts';

interface ReplyProps {
  application: number;
  conversation: Conversation;
  channel: Channel | undefined;
}

/** Writes to the person or group: text, a file, buttons, or a template. */
export function Reply({ application, conversation, channel }: ReplyProps) {
  const { id, window } = conversation;
  const [draft, setDraft] = useState(() => draftOf(id));
  const [choosing, setChoosing] = useState(false);
  const hasKeyboard = useMedia('(hover: hover)');
  const change = (fields: Partial<ReplyDraft>) => {
    const next = { ...draft, ...fields };
    setDraft(next);
    keepDraft(id, next);
  };
  const send = useMutation({
    mutationFn: async (written: ReplyDraft) => {
      const { file } = written;
      const sentFile =
        file && 'file' in file ? await uploadedFile(application, id, file.file) : file;
      return sendMessage(application, { message: activityOf(conversation, written, sentFile) });
    },
    onSuccess: () => {
      setDraft(EMPTY);
      keepDraft(id, EMPTY);
      return refreshEntries(application, id);
    },
  });
  const input = useRef<HTMLInputElement>(null);
  const choose = (files: FileList | null | undefined): boolean => {
    const [file] = files ?? [];
    if (file) change({ file: chosenFile(file) });
    return file !== undefined;
  };
  const canSend = isComplete(draft) && !send.isPending;
  const submit = () => {
    if (canSend) send.mutate(draft);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    // The Enter key of a phone adds a line.
    if (!hasKeyboard && !event.metaKey && !event.ctrlKey) return;
    event.preventDefault();
    submit();
  };
  if (channel?.can.send === false) return null;
  return (
    <Form
      className="grid max-h-[60%] grid-cols-[minmax(0,1fr)] gap-2 overflow-y-auto border-t border-line p-2"
      onSubmit={submit}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      }}
      onDrop={(event) => {
        if (choose(event.dataTransfer.files)) event.preventDefault();
      }}
    >
      {window?.state === 'closed' && (
        <Notice testId="window-closed" tone="warn" title="Only templates are accepted now">
          {channel?.title ?? 'The channel'} accepts free text again once the person has written.
        </Notice>
      )}
      {send.isError && <ProblemNotice error={send.error} />}
      {draft.file && (
        <FileRow
          file={draft.file}
          onChange={(file) => change({ file })}
          onRemove={() => change({ file: undefined })}
        />
      )}
      {draft.buttons.length > 0 && (
        <ButtonRows buttons={draft.buttons} onChange={(buttons) => change({ buttons })} />
      )}
      <Textarea
        data-testid="reply"
        aria-label="Reply"
        placeholder={draft.file ? 'Caption' : 'Reply'}
        rows={2}
        className="max-h-40 min-h-14 resize-none"
        value={draft.text}
        onChange={({ target }) => change({ text: target.value })}
        onKeyDown={onKey}
        onPaste={(event) => {
          if (choose(event.clipboardData.files)) event.preventDefault();
        }}
      />
      <div className="flex items-center gap-1">
        <input
          ref={input}
          type="file"
          data-testid="choose-file"
          hidden
          onChange={({ target }) => {
            choose(target.files);
            // The same file can be chosen again after it was removed.
            target.value = '';
          }}
        />
        <Button
          data-testid="attach"
          look="quiet"
          size="icon"
          aria-label="Attach a file"
          title="Attach a file"
          onClick={() => input.current?.click()}
        >
          <Paperclip aria-hidden />
        </Button>
        <Button
          data-testid="attach-url"
          look="quiet"
          size="icon"
          aria-label="Attach a file by its URL"
          title="Attach a file by its URL"
          onClick={() => change({ file: { url: '', kind: 'Document' } })}
        >
          <Link2 aria-hidden />
        </Button>
        <Button
          data-testid="add-button"
          look="quiet"
          size="icon"
          aria-label="Add a button"
          title="Add a button"
          onClick={() => change({ buttons: [...draft.buttons, { name: '', url: '', value: '' }] })}
        >
          <SquareMousePointer aria-hidden />
        </Button>
        <Button
          data-testid="choose-template"
          look={window?.state === 'closed' ? 'primary' : 'quiet'}
          size={window?.state === 'closed' ? 'md' : 'icon'}
          aria-label="Choose a template"
          title="Choose a template"
          onClick={() => setChoosing(true)}
        >
          <FileText aria-hidden />
          {window?.state === 'closed' && 'Choose a template'}
        </Button>
        <Button
          type="submit"
          data-testid="send"
          look={window?.state === 'closed' ? 'plain' : 'primary'}
          className="ml-auto"
          busy={send.isPending}
          disabled={!canSend}
        >
          <SendHorizontal aria-hidden />
          Send
        </Button>
      </div>
      {choosing && (
        <TemplateDialog
          application={application}
          conversation={conversation}
          channel={channel}
          onClose={() => setChoosing(false)}
          onSent={() => {
            toast.ok('Template queued');
            setChoosing(false);
            void refreshEntries(application, id);
          }}
        />
      )}
    </Form>
  );
}

async function uploadedFile(application: number, conversation: number, file: File) {
  const { url, name, mediaType } = await uploadFile(application, conversation, file);
  return { url, name, mediaType };
}
