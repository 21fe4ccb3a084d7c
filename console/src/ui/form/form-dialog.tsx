import type { ReactNode } from 'react';

import { Dialog, type DialogProps } from '../dialog.tsx';
import { Button } from './button.tsx';
import { Form } from './form.tsx';

interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'width'> {
  onClose(): void;
  /** Button label: the action, not "OK". */
  action: string;
  busy: boolean;
  /** Whether something that is required for submitting is missing. */
  disabled?: boolean;
  onSubmit(): void;
  /** Fields and errors. */
  children: ReactNode;
  /** Result that is shown once, instead of the form. */
  result?: { title: string; content: ReactNode } | undefined;
}

/** A dialog with a form, submitted by its button or by Enter. */
export function FormDialog(props: FormDialogProps) {
  const {
    onClose,
    title,
    action,
    busy,
    disabled = false,
    onSubmit,
    children,
    result,
    ...rest
  } = props;
  return (
    <Dialog
      open
      onClose={onClose}
      title={result?.title ?? title}
      {...rest}
      actions={
        result ? (
          <Button key="done" data-testid="done" look="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              data-testid="submit"
              look="primary"
              busy={busy}
              disabled={disabled}
              onClick={onSubmit}
            >
              {action}
            </Button>
          </>
        )
      }
    >
      {result ? (
        <div className="grid gap-4">{result.content}</div>
      ) : (
        <Form
          className="grid gap-3"
          onSubmit={() => {
            if (!disabled && !busy) onSubmit();
          }}
        >
          {children}
        </Form>
      )}
    </Dialog>
  );
}
