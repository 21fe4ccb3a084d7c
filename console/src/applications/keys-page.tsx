import { useInfiniteQuery } from '@tanstack/react-query';
import { KeyRound, Plus, Ticket } from 'lucide-react';
import { useState } from 'react';

import type { Key } from '../api/types.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { More } from '../ui/list/more.tsx';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
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
  const [making, setMaking] = useState<'token' | 'key'>();
  const [revoking, setRevoking] = useState<Key>();
  const close = () => setMaking(undefined);
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
  if (keys.isError) return <ProblemNotice error={keys.error} onRetry={() => void keys.refetch()} />;
  return (
    <div className="grid gap-4">
      <Section
        title="Tokens"
        description="What your code sends with: it speaks for this application until it ends or is revoked."
        actions={
          <Button data-testid="new-token" look="primary" onClick={() => setMaking('token')}>
            <Plus aria-hidden />
            New token
          </Button>
        }
        flush
      >
        {list(
          'token',
          <Empty icon={Ticket} title="No tokens yet" className="py-8">
            Make one and put it into your code, as{' '}
            <code className="font-mono text-xs">Authorization: Bearer …</code>
          </Empty>,
        )}
      </Section>
      <Section
        title="Signing keys"
        description="For code that makes short tokens by itself, so that no long one has to be kept. A token is a JWT, signed with the secret of a key."
        actions={
          <Button data-testid="new-key" onClick={() => setMaking('key')}>
            <Plus aria-hidden />
            New key
          </Button>
        }
        flush
      >
        {list(
          'key',
          <Empty icon={KeyRound} title="No signing keys" className="py-8">
            With a token you need none.
          </Empty>,
        )}
        <More query={keys} />
      </Section>
      <NewTokenDialog application={application} open={making === 'token'} onClose={close} />
      <NewKeyDialog application={application} open={making === 'key'} onClose={close} />
      <Confirm
        open={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={revoking?.expires_at === null ? 'Revoke this key?' : 'Revoke this token?'}
        action="Revoke it"
        danger
        onConfirm={async () => {
          if (!revoking) return;
          await revokeKey(application, revoking.id);
          toast.ok(revoking.expires_at === null ? 'The key is revoked.' : 'The token is revoked.');
        }}
      >
        {revoking?.expires_at === null
          ? 'Every token that was signed with it stops working at once, for good.'
          : 'Whatever uses it is refused at once, for good.'}
        {revoking?.last_used_at !== null && ' It has been in use.'}
      </Confirm>
    </div>
  );
}
