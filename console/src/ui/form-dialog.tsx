import type { ReactNode } from 'react';

import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'width'> {
  onClose(): void;
  /** What the button says: the deed, not "OK". */
  action: string;
  busy: boolean;
  onSubmit(): void;
  /** The fields, and what went wrong. */
  children: ReactNode;
  /** What came of it and is shown this once, in place of the form. */
  made?: { title: string; content: ReactNode } | undefined;
}

/** Asks for something and does it, by its button or by Enter. */
export function FormDialog(props: FormDialogProps) {
  const { onClose, title, action, busy, onSubmit, children, made, ...rest } = props;
  return (
    <Dialog
      open
      onClose={onClose}
      title={made?.title ?? title}
      {...rest}
      actions={
        made ? (
          <Button key="done" look="primary" onClick={onClose}>
            I have copied it
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" busy={busy} onClick={onSubmit}>
              {action}
            </Button>
          </>
        )
      }
    >
      {made ? (
        <div className="grid gap-4">{made.content}</div>
      ) : (
        <form
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {children}
        </form>
      )}
    </Dialog>
  );
}
