import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';

interface DisclosureProps {
  title: ReactNode;
  /** One line below the title. */
  help?: ReactNode;
  /** Whether it starts open. */
  open?: boolean;
  /** Opens it, such as for a field with an error. */
  forced?: boolean;
  testId?: string;
  children: ReactNode;
}

/** Content that most people do not need. The browser's own element works with every keyboard and with find-in-page. */
export function Disclosure({
  title,
  help,
  open = false,
  forced = false,
  testId,
  children,
}: DisclosureProps) {
  const [isOpen, setIsOpen] = useState(open);
  return (
    <details
      data-testid={testId}
      open={isOpen || forced}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="group/disclosure rounded-lg border border-line"
    >
      <summary className="flex cursor-pointer list-none items-start gap-2 rounded-lg px-3 py-2.5 text-sm hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="mt-0.5 size-4 shrink-0 text-ink-faint transition-transform group-open/disclosure:rotate-90"
        />
        <span className="min-w-0">
          <span className="font-medium">{title}</span>
          {help !== undefined && <span className="block text-pretty text-ink-faint">{help}</span>}
        </span>
      </summary>
      <div className="grid gap-4 border-t border-line p-3 sm:p-4">{children}</div>
    </details>
  );
}
