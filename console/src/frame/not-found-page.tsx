import { Link } from '@tanstack/react-router';
import { Signpost } from 'lucide-react';

import { Button } from '../ui/form/button.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { useTitle } from '../ui/page.tsx';

export function NotFoundPage() {
  useTitle('Not found');
  return (
    <div className="mx-auto max-w-xl py-10">
      <Empty
        testId="not-found"
        isPage
        icon={Signpost}
        title="Page not found"
        actions={
          <Button asChild look="primary">
            <Link to="/app">Go to overview</Link>
          </Button>
        }
      >
        The URL may be wrong, or the resource was deleted or belongs to another team.
      </Empty>
    </div>
  );
}

/** For pages without the navigation. */
export function BareNotFoundPage() {
  return (
    <main>
      <NotFoundPage />
    </main>
  );
}
