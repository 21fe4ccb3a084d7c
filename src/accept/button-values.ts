import type { Channel } from '../channels/channel.ts';
import type { Activity, ActivityObject } from '../model/activity.ts';
import { readButton } from '../model/button.ts';
import { type FieldError, Problem } from '../model/problem.ts';

/*
 * Refuses a button value that is too long for the channel to return, before anything is stored. A button with a long name
 * can become a list entry; a long value could only be truncated or lost.
 */
export function valueProblem(
  { object, type }: Activity,
  { renderers, title }: Channel,
  pointer: string,
): Problem | undefined {
  const limit = typeof renderers === 'object' ? renderers.buttons?.payload : undefined;
  if (!limit || type === 'Delete') return undefined;
  const { max, unit, encoding, write } = limit;
  const errors: FieldError[] = [];
  const check = ({ attachment = [] }: ActivityObject, at: string) => {
    for (const [i, each] of attachment.entries()) {
      const button = each.type === 'Button' ? readButton(each) : undefined;
      if (button?.value === undefined || button.url !== undefined) continue;
      const written = write?.(button) ?? button.value;
      const length = unit === 'bytes' ? Buffer.byteLength(written) : written.length;
      if (length <= max) continue;
      const field = each.value === undefined || each.value === '' ? 'url' : 'value';
      const what = encoding === undefined ? unit : `${unit} (${encoding})`;
      const detail = `must have at most ${max} ${what}, so that ${title} can return it; it has ${length}`;
      errors.push({ pointer: `${at}/attachment/${i}/${field}`, detail });
    }
  };
  check(object, `${pointer}/object`);
  for (const [i, item] of (object.items ?? []).entries())
    check(item, `${pointer}/object/items/${i}`);
  const [first] = errors;
  return first && new Problem('button_value_too_long', first.detail, { errors });
}
