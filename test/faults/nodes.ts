import type { CommandLine, CommandOptions, Serving } from '../support/command.ts';

/** A node that is left alone runs for as long as the longest fault, in milliseconds. */
const LONG = 24 * 60 * 60 * 1000;

/** Several processes of one service, any of which may be gone for a while. */
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
    // One after the other, since the first makes the store.
    for (let i = 0; i < count; i++) await nodes.add();
    return nodes;
  }

  get running(): readonly Serving[] {
    return this.#serving;
  }

  /** One of them after the other; an address at which nobody listens when there is none. */
  readonly url = (): string =>
    this.#serving[this.#next++ % Math.max(this.#serving.length, 1)]?.url ?? 'http://127.0.0.1:9';

  async add(): Promise<Serving> {
    const serving = await this.#cli.serve({ deadline: LONG, ...this.#options });
    this.#serving.push(serving);
    return serving;
  }

  /** Takes one out of those that are asked, to be ended. */
  takeOut(index = Math.floor(Math.random() * this.#serving.length)): Serving {
    const [taken] = this.#serving.splice(index, 1);
    if (!taken) throw new Error('there is no node to end');
    return taken;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#serving.map((one) => one.stop()));
    this.#serving = [];
  }
}
