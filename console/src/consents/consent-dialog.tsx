import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { Consent } from '../api/types.ts';
import { channelOf } from '../contacts/address-text.tsx';
import { channelsQuery } from '../integrations/queries.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { addressText, isErased } from './consent-address.tsx';
import { ConsentState, SCOPES, SOURCES } from './consent-state.tsx';
import { consentQuery, useSetConsent } from './queries.ts';

interface ConsentDialogProps {
  application: number;
  consent: Consent;
  onClose(): void;
}

/** The changes of an address with their proof, and buttons to change the consent. */
export function ConsentDialog({ application, consent, onClose }: ConsentDialogProps) {
  const { data, isPending, isLoadingError, error, refetch } = useQuery(
    consentQuery(application, consent.id),
  );
  const [confirming, setConfirming] = useState(false);
  const set = useSetConsent(application);
  const { family, address, scope, state, source } = data ?? consent;
  const next = state === 'revoked' ? 'granted' : 'revoked';
  const isVendorScope = scope === 'vendor';
  const messages = scope === 'marketing' ? 'marketing messages' : 'messages';
  const isGone = isErased({ family, address });
  const { data: channels } = useQuery(channelsQuery);
  const { title: channel } = channelOf({ channel: family }, channels);
  return (
    <>
      <Dialog
        open={!confirming}
        onClose={onClose}
        title={addressText({ family, address })}
        description={`${SCOPES[scope]}, ${channel}`}
        actions={
          <>
            <Button onClick={onClose}>Close</Button>
            {!isVendorScope && !isGone && (
              <Button
                data-testid={next === 'revoked' ? 'revoke' : 'grant'}
                look={next === 'revoked' ? 'dangerQuiet' : 'primary'}
                onClick={() => setConfirming(true)}
              >
                {next === 'revoked' ? 'Revoke consent' : 'Grant consent'}
              </Button>
            )}
          </>
        }
      >
        {isVendorScope && state === 'revoked' && (
          <p className="mb-3 text-sm text-pretty text-ink-soft">
            {source === 'bounce'
              ? `The mailbox did not exist. When it exists again, delete the bounce with DELETE /1/consents/${consent.id}.`
              : 'The vendor refuses messages to this address. It ends the block when the person writes START to your number.'}
          </p>
        )}
        {isGone && (
          <p className="mb-3 text-sm text-pretty text-ink-soft">
            The person was erased. The revocation stays in force, as a digest of the address, until
            they write START or you record a new consent with proof.
          </p>
        )}
        {isLoadingError ? (
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        ) : isPending ? (
          <SkeletonRows count={3} />
        ) : (
          <ol data-testid="history" aria-label="Changes, newest first" className="grid gap-3">
            {data.history.map((change) => (
              <li
                key={`${change.at} ${change.scope} ${change.state}`}
                className="grid gap-0.5 text-sm"
              >
                <span className="flex flex-wrap items-center gap-2">
                  <ConsentState state={change.state} />
                  <span>{SCOPES[change.scope]}</span>
                  <span className="text-ink-soft">{SOURCES[change.source]}</span>
                  <span className="text-ink-faint">
                    <Time at={change.at} exact />
                  </span>
                </span>
                {change.evidence !== null && (
                  <q className="wrap-anywhere text-ink-soft">{change.evidence}</q>
                )}
              </li>
            ))}
          </ol>
        )}
      </Dialog>
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title={
          next === 'revoked'
            ? `Stop ${messages} to ${address}?`
            : `Allow ${messages} to ${address}?`
        }
        action={next === 'revoked' ? 'Revoke consent' : 'Grant consent'}
        danger={next === 'revoked'}
        onConfirm={async () => {
          const to = scope === 'marketing' ? 'marketing' : 'all';
          await set.mutateAsync({ family, address, scope: to, state: next, evidence: 'console' });
          toast.ok(next === 'revoked' ? 'Consent revoked' : 'Consent granted');
        }}
      >
        {next === 'revoked'
          ? `Queued ${messages} to this address are not sent either.`
          : 'Only grant a consent that the person gave you. The change is kept as proof.'}
      </Confirm>
    </>
  );
}
