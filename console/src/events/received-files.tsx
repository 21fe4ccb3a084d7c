import { Download } from 'lucide-react';

import { useSaveFile } from '../messages/drawing/received-file.ts';
import { Button } from '../ui/form/button.tsx';
import type { ReceivedFile } from './event-data.ts';

interface ReceivedFilesProps {
  application: number;
  files: readonly ReceivedFile[];
}

/**
 * Received files. Each is fetched from its channel on request. Files are saved and never opened here, because their
 * content is untrusted.
 */
export function ReceivedFiles({ application, files }: ReceivedFilesProps) {
  const fetchFile = useSaveFile(application);
  if (files.length === 0) return null;
  return (
    <ul className="grid gap-2">
      {files.map((file) => (
        <li key={file.path}>
          <Button
            size="sm"
            className="max-w-full"
            busy={fetchFile.isPending && fetchFile.variables === file}
            onClick={() => fetchFile.mutate(file)}
          >
            <Download aria-hidden />
            <span className="truncate">{file.name ?? file.mediaType ?? 'File'}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}
