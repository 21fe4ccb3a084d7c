import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';

import type { Policies } from '../api/types.ts';
import { policiesQuery } from '../applications/application.ts';
import { Section } from '../ui/card.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';

interface PolicySectionProps<Name extends keyof Policies> {
  application: number;
  policy: Name;
  title: string;
  description: string;
  /** The form, which starts with the saved policy. */
  renderForm(saved: Policies[Name]): ReactNode;
}

/** A policy of the application. The form starts again when the saved policy changes. */
export function PolicySection<Name extends keyof Policies>(props: PolicySectionProps<Name>) {
  const { application, policy, title, description, renderForm } = props;
  const { data, isLoadingError, error, refetch } = useQuery(policiesQuery(application));
  return (
    <Section title={title} description={description}>
      {isLoadingError ? (
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Fragment key={JSON.stringify(data[policy])}>{renderForm(data[policy])}</Fragment>
      ) : (
        <Skeleton className="h-20 w-full" />
      )}
    </Section>
  );
}
