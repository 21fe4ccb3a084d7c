import { useRouter } from '@tanstack/react-router';
import { Unplug } from 'lucide-react';

import { SessionEnded, words } from '../api/problem.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { useTitle } from '../ui/page.tsx';

/** Instead of a page that cannot be shown; what is around it stays. */
export function ErrorPage({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter();
  useTitle('Something went wrong');
  if (error instanceof SessionEnded) return null;
  return (
    <main className="mx-auto max-w-xl py-10">
      <Empty
        icon={Unplug}
        title="This page could not be shown"
        actions={
          <Button
            look="primary"
            onClick={() => {
              reset?.();
              void router.invalidate();
            }}
          >
            Try again
          </Button>
        }
      >
        {words(error)}
      </Empty>
    </main>
  );
}
