import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { fieldError, sentence } from '../api/problem.ts';
import type { MessageOptions, Preview } from '../api/types.ts';
import { type UnknownRecord, put } from './draft.ts';
import type { Instructions } from './instructions.ts';

/** The request: an activity, and options and instructions beside it. */
export interface Composed {
  activity: UnknownRecord;
  options?: MessageOptions | undefined;
  instructions?: Instructions | undefined;
}

/** As in the body of `POST /1/message`. */
export const bodyOf = ({ activity: message, options = {}, instructions }: Composed) => ({
  message,
  ...(Object.keys(options).length > 0 && { options }),
  ...instructions,
});

/** Dry run of a message, through the integration that it names or through another. */
export const dryRunQuery = (application: number, composed: Composed, integration?: number) => {
  const { activity } = composed;
  const body = bodyOf(
    integration === undefined
      ? composed
      : { ...composed, activity: put(activity, ['generator', 'id'], String(integration)) },
  );
  return queryOptions({
    queryKey: ['application', application, 'dry-run', JSON.stringify(body)],
    queryFn: ({ signal }) =>
      api.post<Preview>('/1/message', body, {
        application,
        query: { dry_run: true },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
  });
};

export interface DryRunState {
  data: Preview | undefined;
  error: unknown;
}

/** The first error at a field or inside it, with the name of the inner field: of the preview, or of a refused request. */
export function errorAt({ data, error }: DryRunState, pointer: string): string | undefined {
  const refused = fieldError(error, pointer.slice(1));
  if (refused !== undefined) return refused;
  const found = data?.error?.errors.find((each) => each.pointer.startsWith(pointer));
  if (!found) return undefined;
  const name = found.pointer.split('/').slice(pointer.split('/').length).at(-1);
  return sentence(name === undefined ? found.detail : `${name} ${found.detail}`);
}
