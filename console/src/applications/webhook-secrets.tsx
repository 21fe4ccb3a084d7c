import { RotateCw } from 'lucide-react';
import { useState } from 'react';

import { Badge } from '../ui/badge.tsx';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Secret } from '../ui/form/secret.tsx';
import { toast } from '../ui/toast.tsx';
import { useWebhookCall } from './webhook.ts';

export interface WebhookSecretsProps {
  application: number;
  /** Newest first. */
  secrets: readonly string[];
}

export function WebhookSecrets({ application, secrets }: WebhookSecretsProps) {
  const [asking, setAsking] = useState(false);
  const rotate = useWebhookCall(application, 'rotate');
  return (
    <>
      <Section
        title={secrets.length > 1 ? 'Signing secrets' : 'Signing secret'}
        description={
          secrets.length > 1
            ? 'Both sign for now. Put the new one into your receiver; the old one stops within 24 hours.'
            : 'Your receiver needs it to check that events come from here.'
        }
        actions={
          <Button data-testid="rotate" onClick={() => setAsking(true)}>
            <RotateCw aria-hidden />
            Rotate…
          </Button>
        }
      >
        <ul className="grid gap-2">
          {secrets.map((secret, i) => (
            <li key={secret} data-testid="signing-secret" className="flex items-center gap-3">
              {secrets.length > 1 && (
                <Badge tone={i === 0 ? 'ok' : 'warn'} className="w-11 justify-center">
                  {i === 0 ? 'New' : 'Old'}
                </Badge>
              )}
              <Secret text={secret} label={i === 0 ? 'Signing secret' : 'Old signing secret'} />
            </li>
          ))}
        </ul>
      </Section>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title="Make a new signing secret?"
        action="Rotate it"
        onConfirm={async () => {
          await rotate.mutateAsync();
          toast.ok('There is a new signing secret.');
        }}
      >
        For 24 hours events carry two signatures, one by the secret of now and one by the new one,
        so that your receiver can change over without a gap.
        {secrets.length > 1 && ' The one that is old already stops at once.'}
      </Confirm>
    </>
  );
}
