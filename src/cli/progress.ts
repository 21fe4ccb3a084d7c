const BAR_WIDTH = 30;

/** Progress on standard error: a bar on a terminal, otherwise one line per part; silent for JSON output. */
export class Progress {
  readonly #isBar: boolean;
  readonly #isSilent: boolean;
  #part = '';

  constructor(isSilent: boolean) {
    this.#isSilent = isSilent;
    this.#isBar = process.stderr.isTTY;
  }

  show(part: string, done: number, all: number): void {
    if (this.#isSilent) return;
    const share = all === 0 ? 1 : Math.min(done / all, 1);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    if (this.#isBar) {
      const bar = '█'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
      process.stderr.write(`\r\u001B[K${bar} ${percent}  ${part}`);
    } else if (part !== this.#part) {
      process.stderr.write(`${part}\n`);
    }
    this.#part = part;
  }

  end(): void {
    if (this.#isBar && !this.#isSilent) process.stderr.write('\r\u001B[K');
  }
}
