import { RotateCw } from 'lucide-react';
import { useState } from 'react';

import { Badge } from '../ui/badge.tsx';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Secret } from '../ui/form/secret.tsx';
import { toast } from '../ui/toast.tsx';
import { useWebhookCall } from './webhook.ts';

interface WebhookSecretsProps {
  application: number;
  /** Newest first. */
  secrets: readonly string[];
}

export function WebhookSecrets({ application, secrets }: WebhookSecretsProps) {
  const [confirming, setConfirming] = useState(false);
  const rotate = useWebhookCall(application, 'rotate');
  return (
    <>
      <Section
        title={secrets.length > 1 ? 'Signing secrets' : 'Signing secret'}
        description={
          secrets.length > 1
            ? 'Events carry both signatures. Switch your receiver to the new secret; the old one expires within 24 hours.'
            : 'Your receiver verifies events with this secret.'
        }
        actions={
          <Button data-testid="rotate" onClick={() => setConfirming(true)}>
            <RotateCw aria-hidden />
            Rotate secret
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
        open={confirming}
        onClose={() => setConfirming(false)}
        title="Rotate signing secret?"
        action="Rotate secret"
        onConfirm={async () => {
          await rotate.mutateAsync();
          toast.ok('Signing secret rotated');
        }}
      >
        For 24 hours, events carry two signatures, with the current and the new secret, so that your
        receiver can switch without a gap.
        {secrets.length > 1 && ' The secret marked as old stops working at once.'}
      </Confirm>
    </>
  );
}
