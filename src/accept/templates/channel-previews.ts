import type { Channel } from '../../channels/channel.ts';
import { CHANNELS, findChannel } from '../../channels/index.ts';
import type { Degradation } from '../../compose/degradations.ts';
import { planSafely } from '../../compose/isolated-plan.ts';
import { ACTIVITY_STREAMS, type Activity, type ActivityObject } from '../../model/activity.ts';
import type { TemplateParameters } from '../../model/templates/template-values.ts';
import type { Template } from '../../model/templates/template.ts';
import { unknownChannel } from '../unknown-channel.ts';
import { languageOf, renderTemplate } from './own-templates.ts';

interface PreviewChoice {
  language?: string | undefined;
  parameters?: TemplateParameters | undefined;
  channels?: readonly string[] | undefined;
}

interface ChannelPreview {
  channel: string;
  /** The content of each request. */
  parts: unknown[];
  degraded: Degradation[];
}

/** A template of the application, rendered for channels as if sent to the example recipient of each. */
export async function previewTemplate(
  template: Template,
  { language, parameters = {}, channels }: PreviewChoice,
): Promise<{ language: string; object: ActivityObject; channels: ChannelPreview[] }> {
  const chosen = languageOf(template, language);
  const content = template.contents[chosen] ?? {};
  const object = await renderTemplate(template.applicationId, content, parameters, '/parameters');
  const wanted = channels?.map((name, i) => {
    const channel = findChannel(name);
    if (!channel) throw unknownChannel(name, `/channels/${i}`);
    return channel;
  });
  const previews: ChannelPreview[] = [];
  for (const channel of wanted ?? CHANNELS) previews.push(await previewOn(channel, object));
  return { language: chosen, object, channels: previews };
}

async function previewOn(channel: Channel, object: ActivityObject): Promise<ChannelPreview> {
  const recipient = channel.recipient.example;
  const activity: Activity = {
    '@context': ACTIVITY_STREAMS,
    type: 'Create',
    generator: { type: 'Service', name: channel.name },
    to: { type: 'Person', id: recipient },
    object,
  };
  const context = { recipient, credentials: {}, options: {}, expiresAt: undefined };
  const { steps, degradations } = await planSafely(activity, channel, context);
  const parts = steps.flatMap((step) => ('request' in step ? [step.request.body] : []));
  return { channel: channel.name, parts, degraded: [...degradations] };
}
