import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { api } from '../api/client.ts';
import { fieldError } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import type { Application } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { APPLICATION_LISTS, applicationQuery } from './queries.ts';

/** Creates an application; without a name, the service generates one. */
export function useCreateApplication() {
  const { user, team } = useSession();
  return useMutation({
    mutationFn: (name: string) =>
      api.post<Application>('/1/applications', {
        team_id: team.id,
        owner_id: user.id,
        state: 'enable',
        ...(name.trim() !== '' && { name: name.trim() }),
      }),
    onSuccess: (created) => {
      queryClient.setQueryData(applicationQuery(created.id).queryKey, created);
      return queryClient.invalidateQueries({ queryKey: APPLICATION_LISTS });
    },
  });
}

interface CreateApplicationProps {
  open: boolean;
  onClose(): void;
  onCreated(application: Application): void;
}

export function CreateApplication(props: CreateApplicationProps) {
  return props.open ? <CreateForm {...props} /> : null;
}

function CreateForm({ onClose, onCreated }: CreateApplicationProps) {
  const [name, setName] = useState('');
  const create = useCreateApplication();
  const nameError = fieldError(create.error, 'name');
  return (
    <FormDialog
      onClose={onClose}
      title="New application"
      description="An application has its own integrations, messages, keys and webhook. Most teams use one per product and environment."
      action="Create application"
      busy={create.isPending}
      onSubmit={() => create.mutate(name, { onSuccess: onCreated })}
    >
      <TextField
        label="Name"
        optional
        help="At least 6 characters. If empty, a name is generated."
        error={nameError}
        value={name}
        placeholder="order-updates"
        onValue={setName}
      />
      {create.isError && nameError === undefined && <ProblemNotice error={create.error} />}
    </FormDialog>
  );
}
