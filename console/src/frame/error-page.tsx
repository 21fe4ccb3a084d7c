import { useRouter } from '@tanstack/react-router';
import { Unplug } from 'lucide-react';

import { SessionEnded, errorText } from '../api/problem.ts';
import { Button } from '../ui/form/button.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { useTitle } from '../ui/page.tsx';

interface ErrorPageProps {
  error: unknown;
  reset?: () => void;
}

/** Replaces a page that failed to render; the navigation stays. */
export function ErrorPage({ error, reset }: ErrorPageProps) {
  const router = useRouter();
  useTitle('Error');
  if (error instanceof SessionEnded) return null;
  return (
    <div className="mx-auto max-w-xl py-10">
      <Empty
        isPage
        icon={Unplug}
        title="Page failed to load"
        actions={
          <Button
            look="primary"
            onClick={() => {
              reset?.();
              void router.invalidate();
            }}
          >
            Retry
          </Button>
        }
      >
        {errorText(error)}
      </Empty>
    </div>
  );
}

/** For pages without the navigation. */
export function BareErrorPage(props: ErrorPageProps) {
  return (
    <main>
      <ErrorPage {...props} />
    </main>
  );
}
