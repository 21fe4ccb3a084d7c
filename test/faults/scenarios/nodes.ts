import type { CommandLine, CommandOptions, Serving } from '../../support/programs/command.ts';

/** Longer than the longest fault test. */
const MAX_RUN_MS = 24 * 60 * 60 * 1000;

/** Several nodes of one service, any of which may be down for a while. */
export class Nodes {
  readonly #cli: CommandLine;
  readonly #options: CommandOptions;
  #serving: Serving[] = [];
  #next = 0;

  private constructor(cli: CommandLine, options: CommandOptions) {
    this.#cli = cli;
    this.#options = options;
  }

  static async start(
    cli: CommandLine,
    count: number,
    options: CommandOptions = {},
  ): Promise<Nodes> {
    const nodes = new Nodes(cli, options);
    // Sequentially, because the first node creates the store.
    for (let i = 0; i < count; i++) await nodes.add();
    return nodes;
  }

  get running(): readonly Serving[] {
    return this.#serving;
  }

  /** The node that was started last, whose sign-in link is the valid one. */
  get newest(): Serving {
    const serving = this.#serving.at(-1);
    if (!serving) throw new Error('no node is running');
    return serving;
  }

  /** The URL of the nodes in rotation; without a node, an address where nothing listens. */
  readonly url = (): string =>
    this.#serving[this.#next++ % Math.max(this.#serving.length, 1)]?.url ?? 'http://127.0.0.1:9';

  async add(): Promise<Serving> {
    const serving = await this.#cli.serve({ deadline: MAX_RUN_MS, ...this.#options });
    this.#serving.push(serving);
    return serving;
  }

  /** Removes a node from the rotation, so that the caller can end it. */
  takeOut(index = Math.floor(Math.random() * this.#serving.length)): Serving {
    const [removed] = this.#serving.splice(index, 1);
    if (!removed) throw new Error('there is no node to end');
    return removed;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#serving.map((one) => one.stop()));
    this.#serving = [];
  }
}
