import type { CurrentProblem } from '../api/types.ts';

/** The problems of one integration, or of an application's webhook. */
export interface ProblemGroup {
  key: string;
  application_id: number;
  integration_id: number | null;
  channel: string | null;
  isOfWebhook: boolean;
  problems: CurrentProblem[];
}

/** Groups keep the order of their first problem: those that need a person come first. */
export function groupProblems(problems: readonly CurrentProblem[]): ProblemGroup[] {
  const groups = new Map<string, ProblemGroup>();
  for (const problem of problems) {
    const { application_id, integration_id, channel } = problem;
    const isOfWebhook = problem.kind.startsWith('webhook_');
    const key = `${application_id}-${integration_id ?? (isOfWebhook ? 'webhook' : 'all')}`;
    const group = groups.get(key) ?? {
      key,
      application_id,
      integration_id,
      channel,
      isOfWebhook,
      problems: [],
    };
    group.problems.push(problem);
    groups.set(key, group);
  }
  return [...groups.values()];
}
