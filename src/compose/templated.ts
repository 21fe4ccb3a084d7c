import { rawMembers } from '../lib/json/parse-json.ts';
import type { ActivityObject } from '../model/activity.ts';

/** The activity with the content of a template. Everything else stays as it was written, byte for byte. */
export function withContent(json: string, content: ActivityObject): string {
  const activity = rawMembers(json);
  const object = rawMembers(activity.get('object') ?? '{}');
  for (const [name, value] of Object.entries(content)) object.set(name, JSON.stringify(value));
  activity.set('object', toJson(object));
  return toJson(activity);
}

/** The activity with the object of another one, and its files if they are given. */
export function withObjectOf(
  json: string,
  other: string,
  files: readonly ActivityObject[] | undefined,
): string {
  const activity = rawMembers(json);
  const object = rawMembers(rawMembers(other).get('object') ?? '{}');
  if (files) object.set('attachment', JSON.stringify(files));
  activity.set('object', toJson(object));
  return toJson(activity);
}

function toJson(members: ReadonlyMap<string, string>): string {
  const written = Array.from(members, ([name, raw]) => `${JSON.stringify(name)}:${raw}`);
  return `{${written.join(',')}}`;
}
