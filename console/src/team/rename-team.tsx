import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import { useSession } from '../session/session.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { changeTeam } from './queries.ts';

export function RenameTeam() {
  const { team } = useSession();
  const [name, setName] = useState(team.name);
  const rename = useMutation({
    mutationFn: () => changeTeam(team.id, { name: name.trim() }),
    onSuccess: () => toast.ok('Team renamed'),
  });
  const nameError = fieldError(rename.error, 'name');
  return (
    <Section title="Team">
      <Form className="flex max-w-md flex-wrap items-end gap-2" onSubmit={() => rename.mutate()}>
        <TextField
          label="Team name"
          error={nameError}
          className="flex-1 basis-48"
          required
          value={name}
          onValue={setName}
        />
        <Button
          type="submit"
          data-testid="rename"
          busy={rename.isPending}
          disabled={name.trim() === '' || name.trim() === team.name}
        >
          Rename team
        </Button>
      </Form>
      {rename.isError && nameError === undefined && (
        <ProblemNotice error={rename.error} className="mt-3" />
      )}
    </Section>
  );
}
