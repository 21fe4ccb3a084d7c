import { useNavigate } from '@tanstack/react-router';
import { Blocks } from 'lucide-react';
import { useState } from 'react';

import { CreateApplication } from '../applications/create.tsx';
import { useCurrentApplication } from '../applications/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

export function StartPage() {
  const current = useCurrentApplication();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  return (
    <Page title="Guided start" description="From nothing to a first message.">
      <Card>
        <Empty
          icon={Blocks}
          title={current ? `You work with ${current.name}` : 'Begin with an application'}
          actions={
            <Button look={current ? 'plain' : 'primary'} onClick={() => setCreating(true)}>
              New application
            </Button>
          }
        >
          An application has its own integrations, messages, keys and webhook.
        </Empty>
      </Card>
      <CreateApplication
        open={creating}
        onClose={() => setCreating(false)}
        onCreated={({ id }) => {
          setCreating(false);
          void navigate({ to: '/app/start', search: { application: id } });
        }}
      />
    </Page>
  );
}
