import type { Store } from '../../src/store/store.ts';

const PAGE = 1_000;

/** The states that the feed has reported, each as the id of the message and the state. */
export async function reportedStates(
  { events }: Store,
  applicationId: number,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (let after = 0; ;) {
    const page = await events.list(applicationId, after, PAGE);
    for (const { data } of page) {
      const { id, state } = JSON.parse(data) as { id?: number; state?: string };
      found.add(`${id} ${state}`);
    }
    const last = page.at(-1);
    if (!last) return found;
    after = last.id;
  }
}
