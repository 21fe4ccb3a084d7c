import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

import type { MessageOptions } from '../api/types.ts';
import { compact } from '../frame/search.ts';
import { channelsQuery, integrationsQuery } from '../integrations/queries.ts';
import { textTo } from '../messages/snippets.ts';
import { NO_OPTIONS } from '../options/option-values.ts';
import { useSettled } from '../ui/use-settled.ts';
import { isComplete, put, readDraft, textAt, writeDraft } from './draft.ts';
import {
  type InstructionDraft,
  NO_INSTRUCTIONS,
  hasTemplate,
  instructionsOf,
} from './instructions.ts';

export type Draft = ReturnType<typeof useDraft>;

/** The message being composed. The URL has its integration and recipient. */
export function useDraft(application: number) {
  const { data: integrations = [] } = useQuery(integrationsQuery(application));
  const { data: channels } = useQuery(channelsQuery);
  const search = useSearch({ from: '/app/framed/applications/$application/playground' });
  const navigate = useNavigate({ from: '/app/applications/$application/playground' });
  const [text, setText] = useState(() => {
    const first = search.integration ?? integrations[0]?.id ?? 0;
    const activity = textTo(first, search.to ?? '', 'Your order is on its way.');
    // Keep an empty recipient in the JSON, to be filled in.
    return writeDraft(put(activity, ['to', 'id'], search.to ?? ''));
  });
  // Per channel, because options of the same name differ between channels.
  const [optionsByChannel, setOptionsByChannel] = useState<Record<string, MessageOptions>>({});
  const [instructionDraft, setInstructionDraft] = useState<InstructionDraft>(NO_INSTRUCTIONS);
  const { activity, parseError } = readDraft(text);
  const chosen = integrations.find(({ id }) => String(id) === textAt(activity, 'generator', 'id'));
  const channel = channels?.find(({ name }) => name === chosen?.name);
  const options = (channel && optionsByChannel[channel.name]) ?? NO_OPTIONS;
  const setOptions = (changed: MessageOptions) => {
    if (channel) setOptionsByChannel({ ...optionsByChannel, [channel.name]: changed });
  };

  const integration = Number(textAt(activity, 'generator', 'id')) || undefined;
  const to = textAt(activity, 'to', 'id');
  useEffect(() => {
    if (integration === search.integration && to === (search.to ?? '')) return;
    void navigate({ search: compact({ integration, to }), replace: true });
  }, [integration, to, search.integration, search.to, navigate]);

  const json = { text, setText, activity, parseError };
  return {
    integrations,
    chosen,
    channel,
    ...json,
    options,
    setOptions,
    instructionDraft,
    setInstructionDraft,
  };
}

/** The draft as a request, once the user pauses; undefined while it is invalid. */
export function useComposed({ text, options, instructionDraft }: Draft) {
  const settledText = useSettled(text);
  const settledOptions = useSettled(options);
  const settledInstructions = useSettled(instructionDraft);
  const { activity } = readDraft(settledText);
  const instructions = instructionsOf(settledInstructions);
  const composed =
    activity && instructions ? { activity, options: settledOptions, instructions } : undefined;
  return {
    composed,
    /** Whether it is complete enough for a dry run. */
    isReady:
      composed !== undefined && isComplete(composed.activity, hasTemplate(settledInstructions)),
    /** Whether it is the current draft. */
    isSettled:
      text === settledText &&
      options === settledOptions &&
      instructionDraft === settledInstructions,
  };
}
