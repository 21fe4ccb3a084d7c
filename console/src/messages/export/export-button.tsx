import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { Dialog } from '../../ui/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Choice } from '../../ui/form/choice.tsx';
import { ProgressBar } from '../../ui/list/progress-bar.tsx';
import { Notice, ProblemNotice } from '../../ui/notice.tsx';
import { type MessageFilter, isFiltered } from '../filter.ts';
import { type ExportFormat, FORMATS } from './formats.ts';
import { runExport } from './run-export.ts';
import { openFile } from './save-file.ts';

interface ExportButtonProps {
  application: number;
  filter: MessageFilter;
  /** Number of messages, if known. */
  total: number | undefined;
}

/** Exports the filtered message log to a file. */
export function ExportButton(props: ExportButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button data-testid="export" onClick={() => setOpen(true)}>
        <Download aria-hidden />
        Export
      </Button>
      {isOpen && <ExportDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

type Progress =
  | { step: 'choosing' }
  | { step: 'running'; count: number }
  | { step: 'done'; count: number }
  | { step: 'failed'; count: number; error: Error };

const OPTIONS = (Object.keys(FORMATS) as ExportFormat[]).map((value) => ({
  value,
  label: FORMATS[value].label,
  help: FORMATS[value].help,
}));

const counted = (count: number) =>
  `${count.toLocaleString()} ${count === 1 ? 'message' : 'messages'}`;

function ExportDialog({
  application,
  filter,
  total,
  onClose,
}: ExportButtonProps & { onClose(): void }) {
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [progress, setProgress] = useState<Progress>({ step: 'choosing' });
  const abort = useRef<AbortController>(null);
  // Leaving the page ends the export.
  useEffect(() => () => abort.current?.abort(), []);

  async function start() {
    const { mediaType, extension } = FORMATS[format];
    const day = new Date().toISOString().slice(0, 10);
    const file = await openFile(
      `messages-${application}-${day}.${extension}`,
      mediaType,
      extension,
    );
    if (!file) return;
    const controller = new AbortController();
    abort.current = controller;
    let count = 0;
    setProgress({ step: 'running', count });
    try {
      const { signal } = controller;
      await runExport({
        application,
        filter,
        format,
        file,
        signal,
        onProgress: (done) => setProgress({ step: 'running', count: (count = done) }),
      });
      setProgress({ step: 'done', count });
    } catch (error) {
      if (controller.signal.aborted) return;
      const reason = error instanceof Error ? error : new Error(String(error));
      setProgress({ step: 'failed', count, error: reason });
    }
  }

  function close() {
    abort.current?.abort();
    onClose();
  }

  const { step } = progress;
  return (
    <Dialog
      open
      onClose={close}
      title="Export messages"
      description={
        isFiltered(filter)
          ? 'All messages that match the filters, newest first.'
          : 'All messages of this application, newest first.'
      }
      actions={
        step === 'done' ? (
          <Button data-testid="done" look="primary" onClick={close}>
            Done
          </Button>
        ) : (
          <>
            <Button data-testid="cancel-export" onClick={close}>
              Cancel
            </Button>
            <Button
              data-testid="start-export"
              look="primary"
              busy={step === 'running'}
              onClick={() => void start()}
            >
              {total === undefined ? 'Export messages' : `Export ${counted(total)}`}
            </Button>
          </>
        )
      }
    >
      <div className="grid gap-3">
        {step === 'choosing' && (
          <Choice
            label="Format"
            value={format}
            options={OPTIONS}
            onChange={(chosen: ExportFormat) => setFormat(chosen)}
          />
        )}
        {step === 'running' && (
          <>
            <ProgressBar label="Export progress" done={progress.count} total={total} />
            <p role="status" data-testid="export-count" className="text-sm text-ink-soft tabular">
              {counted(progress.count)} exported
              {total !== undefined && ` of ${total.toLocaleString()}`}
            </p>
          </>
        )}
        {step === 'done' && (
          <Notice testId="exported" tone="ok" title={`${counted(progress.count)} exported`} />
        )}
        {step === 'failed' && <ProblemNotice error={progress.error} onRetry={() => void start()} />}
      </div>
    </Dialog>
  );
}
