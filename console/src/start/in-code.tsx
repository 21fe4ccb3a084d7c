import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';

import { api } from '../api/client.ts';
import type { Activity } from '../api/types.ts';
import { asCurl, asPython, asTypeScript } from '../messages/snippets.ts';
import { useSession } from '../session/session.ts';
import { Code } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { Segments } from '../ui/form/toggle.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';

const TOKEN_DAYS = 30;

const LANGUAGES = {
  curl: { label: 'curl', language: 'shell', toSnippet: asCurl },
  typescript: { label: 'TypeScript', language: 'typescript', toSnippet: asTypeScript },
  python: { label: 'Python', language: 'python', toSnippet: asPython },
} as const;
type Language = keyof typeof LANGUAGES;
const CHOICES = (['curl', 'typescript', 'python'] as const).map((value) => ({
  value,
  label: LANGUAGES[value].label,
}));

/** The same call as code, with a token that is created on request. */
export function InCode({ application, activity }: { application: number; activity: Activity }) {
  const { public_url: url } = useSession();
  const [language, setLanguage] = useState<Language>('curl');
  const token = useMutation({
    mutationFn: () =>
      api.post<{ token: string }>(`/1/applications/${application}/tokens`, { days: TOKEN_DAYS }),
  });
  const parts = { url, activity };
  const { language: syntax, toSnippet } = LANGUAGES[language];
  const secret = token.data?.token;
  const shown = secret === undefined ? undefined : `${secret.slice(0, 12)}…`;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Segments label="Language" value={language} onChange={setLanguage} options={CHOICES} />
        {secret === undefined && (
          <Button data-testid="add-token" busy={token.isPending} onClick={() => token.mutate()}>
            <KeyRound aria-hidden />
            Add token
          </Button>
        )}
      </div>
      <Code
        language={syntax}
        text={toSnippet({ ...parts, token: shown })}
        copy={toSnippet({ ...parts, token: secret })}
      />
      {token.isError && <ProblemNotice error={token.error} />}
      {secret !== undefined && (
        <Notice testId="token-added">
          The copied code contains the full token. It is valid for {TOKEN_DAYS} days; keep it like a
          password.
        </Notice>
      )}
    </div>
  );
}
