import type { TemplateDetail } from '../api/types.ts';
import { Button } from '../ui/form/button.tsx';
import { Time } from '../ui/time.tsx';

interface VersionsProps {
  versions: TemplateDetail['versions'];
  shown: number;
  onShow(version: number): void;
}

export function Versions({ versions, shown, onShow }: VersionsProps) {
  return (
    <ol data-testid="versions" className="grid gap-1.5 text-sm">
      {versions.map(({ version, created_at: created }) => (
        <li key={version} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button
            size="sm"
            className="aria-pressed:border-accent/40 aria-pressed:bg-accent-soft aria-pressed:text-accent-text"
            aria-pressed={version === shown}
            onClick={() => onShow(version)}
          >
            Version {version}
          </Button>
          <Time at={created} className="text-ink-faint" />
        </li>
      ))}
    </ol>
  );
}
