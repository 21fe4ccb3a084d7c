import { Link } from '@tanstack/react-router';

import { useApplication } from '../../applications/application.ts';
import { Button } from '../../ui/form/button.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Shown above forms: a disabled application cannot be changed. */
export function DisabledNotice() {
  const application = useApplication();
  if (application?.state !== 'disable') return null;
  return (
    <Notice
      tone="warn"
      testId="application-disabled"
      title="Application disabled"
      className="mb-4"
      actions={
        <Button asChild size="sm">
          <Link
            to="/app/applications/$application/settings"
            params={{ application: String(application.id) }}
          >
            Open settings
          </Link>
        </Button>
      }
    >
      Enable it to add or change integrations.
    </Notice>
  );
}

/** Whether integrations of the application can be changed. */
export const useMayChange = () => useApplication()?.state !== 'disable';
