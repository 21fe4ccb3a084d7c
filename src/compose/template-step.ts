import type { Channel, Destination } from '../channels/channel.ts';
import type { FilledTemplate } from '../model/templates/vendor-template.ts';
import type { Step } from './plan.ts';

/** The request that sends a template of the vendor, with the options of the message. */
export function templateStep(channel: Channel, template: FilledTemplate, to: Destination): Step {
  const { templates, renderers } = channel;
  if (!templates) throw new Error(`${channel.title} has no templates`);
  const request = templates.render(template, to);
  const add = renderers === 'whole' ? undefined : renderers?.options;
  return { does: 'send', request: add?.(request, to) ?? request };
}
