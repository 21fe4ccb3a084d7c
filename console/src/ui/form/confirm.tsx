import { type ReactNode, useId, useState } from 'react';

import { Dialog } from '../dialog.tsx';
import { ProblemNotice } from '../notice.tsx';
import { Button } from './button.tsx';
import { Form } from './form.tsx';
import { Input } from './input.tsx';

interface ConfirmProps {
  open: boolean;
  onClose(): void;
  title: string;
  /** Consequences of the action. */
  children: ReactNode;
  /** Button label: the action, not "OK". */
  action: string;
  danger?: boolean;
  /** Text to type first, for actions that cannot be undone. */
  requiredText?: string;
  /** The dialog closes on success; on failure it stays open and shows the error. */
  onConfirm(): Promise<unknown>;
}

/** Browsers show several spaces as one. */
const asShown = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

export function Confirm(props: ConfirmProps) {
  return props.open ? <OpenConfirm {...props} /> : null;
}

function OpenConfirm({
  onClose,
  title,
  children,
  action,
  danger,
  requiredText,
  onConfirm,
}: ConfirmProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const canConfirm = requiredText === undefined || asShown(text) === asShown(requiredText);

  async function confirm() {
    if (!canConfirm || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button data-testid="dismiss" onClick={onClose}>
            Cancel
          </Button>
          <Button
            data-testid="confirm"
            look={danger ? 'danger' : 'primary'}
            busy={busy}
            disabled={!canConfirm}
            onClick={() => void confirm()}
          >
            {action}
          </Button>
        </>
      }
    >
      <Form
        className="grid gap-3 text-ink-soft"
        onSubmit={() => {
          void confirm();
        }}
      >
        <div className="text-pretty">{children}</div>
        {requiredText !== undefined && (
          <div className="grid gap-1.5">
            <label htmlFor={id} className="text-sm">
              Type <strong className="font-semibold break-all text-ink">{requiredText}</strong> to
              confirm
            </label>
            <Input
              id={id}
              data-testid="confirm-text"
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
        )}
        {error !== undefined && <ProblemNotice error={error} />}
      </Form>
    </Dialog>
  );
}
