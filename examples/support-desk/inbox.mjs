/** All conversations with their messages and replies, most recently changed first. */
export class Inbox {
  /** @type {Map<string, { key: string, who: string, via: string, last: import('@switchboard/sdk').ReceivedActivity, lines: { from: string, text: string }[] }>} */
  #conversations = new Map();

  get conversations() {
    return [...this.#conversations.values()].toReversed();
  }

  /** @param {string} key */
  find(key) {
    return this.#conversations.get(key);
  }

  /** @param {import('@switchboard/sdk').ReceivedActivity} activity */
  take(activity) {
    const { actor, generator, object } = activity;
    // One person on one channel is one conversation.
    const key = `${generator.id}/${actor.id}`;
    const lines = this.#conversations.get(key)?.lines ?? [];
    const who = actor.name ?? actor.id;
    lines.push({ from: who, text: object.content ?? `(${object.type})` });
    this.#conversations.delete(key);
    this.#conversations.set(key, { key, who, via: generator.name ?? '', last: activity, lines });
  }

  /** @param {string} key @param {string} text */
  answered(key, text) {
    this.#conversations.get(key)?.lines.push({ from: 'You', text });
  }
}
