import { useInfiniteQuery } from '@tanstack/react-query';
import { KeyRound, Plus, Ticket } from 'lucide-react';
import { useState } from 'react';

import type { Key } from '../api/types.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { LoadMore } from '../ui/list/load-more.tsx';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { useApplicationId } from './application.ts';
import { KeyTable } from './key-table.tsx';
import { keysQuery, revokeKey } from './keys.ts';
import { NewKeyDialog } from './new-key.tsx';
import { NewTokenDialog } from './new-token.tsx';

/** Tokens come first: most users need them. Keys are for programs that sign their own tokens. */
export function KeysPage() {
  const application = useApplicationId();
  const keys = useInfiniteQuery(keysQuery(application));
  const [dialog, setDialog] = useState<'token' | 'key'>();
  const [revoking, setRevoking] = useState<Key>();
  const close = () => setDialog(undefined);
  const all = keys.data?.pages.flatMap(({ items }) => items) ?? [];
  const list = (kind: 'token' | 'key', empty: React.ReactNode) => {
    const shown = all.filter((key) => (key.expires_at === null) === (kind === 'key'));
    if (keys.isPending) return <SkeletonRows count={2} />;
    return shown.length === 0 ? (
      empty
    ) : (
      <KeyTable kind={kind} keys={shown} onRevoke={setRevoking} />
    );
  };
  if (keys.isLoadingError)
    return <ProblemNotice error={keys.error} onRetry={() => void keys.refetch()} />;
  return (
    <div className="grid gap-4">
      <Section
        title="Tokens"
        description="Your code authenticates with a token. It acts for this application until it expires or is revoked."
        actions={
          <Button data-testid="new-token" look="primary" onClick={() => setDialog('token')}>
            <Plus aria-hidden />
            New token
          </Button>
        }
        flush
      >
        {list(
          'token',
          <Empty icon={Ticket} title="No tokens yet" className="py-8">
            Create a token and send it with every request:{' '}
            <code className="font-mono text-xs whitespace-nowrap">Authorization: Bearer …</code>
          </Empty>,
        )}
      </Section>
      <Section
        title="Signing keys"
        description="For code that creates its own short-lived tokens: JWTs signed with the secret of a key."
        actions={
          <Button data-testid="new-key" onClick={() => setDialog('key')}>
            <Plus aria-hidden />
            New key
          </Button>
        }
        flush
      >
        {list(
          'key',
          <Empty icon={KeyRound} title="No signing keys yet" className="py-8">
            Most programs only need a token.
          </Empty>,
        )}
        <LoadMore query={keys} />
      </Section>
      <NewTokenDialog application={application} open={dialog === 'token'} onClose={close} />
      <NewKeyDialog application={application} open={dialog === 'key'} onClose={close} />
      <Confirm
        open={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={revoking?.expires_at === null ? 'Revoke this key?' : 'Revoke this token?'}
        action={revoking?.expires_at === null ? 'Revoke key' : 'Revoke token'}
        danger
        onConfirm={async () => {
          if (!revoking) return;
          await revokeKey(application, revoking.id);
          toast.ok(revoking.expires_at === null ? 'Key revoked' : 'Token revoked');
        }}
      >
        {revoking?.expires_at === null
          ? 'All tokens signed with this key stop working at once. This cannot be undone.'
          : 'Programs that use this token are refused at once. This cannot be undone.'}
        {revoking && revoking.last_used_at !== null && (
          <>
            {' '}
            Last used <Time at={revoking.last_used_at} />.
          </>
        )}
      </Confirm>
    </div>
  );
}
