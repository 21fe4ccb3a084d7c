import { File as FileIcon, X } from 'lucide-react';

import type { ButtonDraft } from '../../playground/draft.ts';
import { Button } from '../../ui/form/button.tsx';
import { Input, Select } from '../../ui/form/input.tsx';
import { FILE_KINDS, type FileDraft, isWebUrl, kindOf } from './reply-draft.ts';
import { MAX_FILE_BYTES, sizeText } from './upload.ts';

interface FileRowProps {
  file: FileDraft;
  onChange(file: FileDraft): void;
  onRemove(): void;
}

/** A file from the disk, or by its URL. */
export function FileRow({ file, onChange, onRemove }: FileRowProps) {
  return (
    <div data-testid="file" className="flex gap-2 max-sm:flex-wrap">
      {'url' in file ? (
        <Input
          data-testid="file-url"
          aria-label="File URL"
          aria-invalid={file.url !== '' && !isWebUrl(file.url) ? true : undefined}
          placeholder="https://example.com/photo.png"
          inputMode="url"
          spellCheck={false}
          value={file.url}
          onChange={({ target }) => onChange({ url: target.value, kind: kindOf(target.value) })}
        />
      ) : (
        <ChosenFile file={file.file} />
      )}
      <Select
        aria-label="Kind of file"
        className="w-32 shrink-0 max-sm:flex-1"
        value={file.kind}
        onChange={({ target }) => {
          const chosen = FILE_KINDS.find((each) => each === target.value);
          if (chosen) onChange({ ...file, kind: chosen });
        }}
      >
        {FILE_KINDS.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Select>
      <Button look="quiet" size="icon" aria-label="Remove file" onClick={onRemove}>
        <X aria-hidden />
      </Button>
    </div>
  );
}

function ChosenFile({ file: { name, size } }: { file: File }) {
  const fault =
    size === 0 ? 'empty' : size > MAX_FILE_BYTES ? `larger than ${sizeText(MAX_FILE_BYTES)}` : '';
  return (
    <p
      data-testid="chosen-file"
      className="flex min-w-0 flex-1 items-center gap-2 text-sm max-sm:w-full max-sm:flex-none"
    >
      <FileIcon className="size-4 shrink-0 text-ink-soft" aria-hidden />
      <span className="truncate">{name}</span>
      {fault === '' ? (
        <span className="shrink-0 text-ink-soft tabular">{sizeText(size)}</span>
      ) : (
        <span role="alert" className="shrink-0 text-bad">
          The file is {fault}
        </span>
      )}
    </p>
  );
}

interface ButtonRowsProps {
  buttons: readonly ButtonDraft[];
  onChange(buttons: ButtonDraft[]): void;
}

/** Buttons below the message: answers, or links. */
export function ButtonRows({ buttons, onChange }: ButtonRowsProps) {
  const change = (index: number, fields: Partial<ButtonDraft>) =>
    onChange(buttons.map((button, i) => (i === index ? { ...button, ...fields } : button)));
  return (
    <ul aria-label="Buttons" className="grid gap-2">
      {buttons.map(({ name, url }, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- buttons have no id, only a position
        <li key={i} className="flex gap-2">
          <Input
            data-testid="button-name"
            aria-label={`Button ${i + 1}: label`}
            placeholder="Label"
            value={name}
            onChange={({ target }) => change(i, { name: target.value })}
          />
          <Input
            aria-label={`Button ${i + 1}: URL`}
            placeholder="URL (optional)"
            inputMode="url"
            spellCheck={false}
            value={url}
            onChange={({ target }) => change(i, { url: target.value })}
          />
          <Button
            look="quiet"
            size="icon"
            aria-label={`Remove button ${i + 1}`}
            onClick={() => onChange(buttons.filter((_button, index) => index !== i))}
          >
            <X aria-hidden />
          </Button>
        </li>
      ))}
    </ul>
  );
}
