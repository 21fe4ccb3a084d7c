import { useState } from 'react';

import type { MessageDetail } from '../../api/types.ts';
import { ButtonFields } from '../../playground/button-fields.tsx';
import {
  type Path,
  type UnknownRecord,
  put,
  readDraft,
  textAt,
  writeDraft,
} from '../../playground/draft.ts';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { TextareaField } from '../../ui/form/textarea-field.tsx';
import { Segments } from '../../ui/form/toggle.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { type ScheduledContent, useChangeContent } from '../queries.ts';

interface EditMessageProps {
  application: number;
  message: MessageDetail;
  onClose(): void;
}

type Template = NonNullable<MessageDetail['template']>;

/** Changes the content of a scheduled message. Its time, recipient and routes stay. */
export function EditMessage({ application, message, onClose }: EditMessageProps) {
  const { id, template, outside_window: outside } = message;
  const change = useChangeContent(application, id);
  const [text, setText] = useState(() => writeDraft({ ...message.message }));
  const [parameters, setParameters] = useState(template?.parameters ?? {});
  const [view, setView] = useState<'form' | 'json'>('form');
  const { activity, parseError } = readDraft(text);
  const isCollection = textAt(activity, 'object', 'type') === 'Collection';
  return (
    <FormDialog
      title="Edit message"
      action="Save message"
      width="md"
      busy={change.isPending}
      onClose={onClose}
      onSubmit={() => {
        if (!activity) return;
        const content: ScheduledContent = {
          message: activity,
          // Without these, the message would lose its templates.
          ...(template && { template: requestOf({ ...template, parameters }) }),
          ...(outside && { outside_window: requestOf(outside) }),
        };
        change.mutate(content, {
          onSuccess: () => {
            toast.ok('Message changed');
            onClose();
          },
        });
      }}
    >
      {change.isError && <ProblemNotice error={change.error} />}
      {template ? (
        <Parameters parameters={parameters} onChange={setParameters} />
      ) : (
        <>
          <Segments
            label="Editor"
            value={isCollection ? 'json' : view}
            onChange={setView}
            options={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
          />
          {activity && view === 'form' && !isCollection ? (
            <ContentFields
              activity={activity}
              onChange={(changed) => setText(writeDraft(changed))}
            />
          ) : (
            <TextareaField
              label="Activity"
              error={parseError}
              data-testid="json"
              inputClass="min-h-64 font-mono text-xs leading-5"
              spellCheck={false}
              value={text}
              onValue={setText}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

const requestOf = ({ name, language, parameters }: Template) => ({ name, language, parameters });

interface ContentFieldsProps {
  activity: UnknownRecord;
  onChange(activity: UnknownRecord): void;
}

function ContentFields({ activity, onChange }: ContentFieldsProps) {
  const kind = textAt(activity, 'object', 'type');
  const isFile = kind !== 'Note' && kind !== 'Place';
  const title = textAt(activity, 'object', 'name');
  const set = (path: Path) => (value: string) =>
    onChange(put(activity, path, value === '' ? undefined : value));
  return (
    <>
      {title !== '' && (
        <TextField
          label={kind === 'Note' ? 'Title' : 'Name'}
          value={title}
          onValue={set(['object', 'name'])}
        />
      )}
      {isFile && (
        <TextField
          label="File URL"
          inputMode="url"
          spellCheck={false}
          value={textAt(activity, 'object', 'url')}
          onValue={set(['object', 'url'])}
        />
      )}
      <TextareaField
        label={kind === 'Note' ? 'Text' : 'Caption'}
        optional={kind !== 'Note'}
        data-testid="text"
        rows={5}
        value={textAt(activity, 'object', 'content')}
        onValue={set(['object', 'content'])}
      />
      <ButtonFields activity={activity} onChange={onChange} />
    </>
  );
}

interface ParametersProps {
  parameters: Template['parameters'];
  onChange(parameters: Template['parameters']): void;
}

/** The values of a template. */
function Parameters({ parameters, onChange }: ParametersProps) {
  return Object.entries(parameters).map(([name, value]) => (
    <TextField
      key={name}
      label={name}
      data-testid={`value-${name}`}
      disabled={typeof value === 'object'}
      value={typeof value === 'string' ? value : JSON.stringify(value)}
      onValue={(text) => onChange({ ...parameters, [name]: text })}
    />
  ));
}
