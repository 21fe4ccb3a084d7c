import type { WebSocket } from 'ws';

/**
 * Bytes that wait for the readers of sockets, with a bound on all of them together: where it is reached, the reader with the
 * most unsent bytes is disconnected.
 */
export class UnsentBytes {
  readonly limit: number;
  #total = 0;
  readonly #bySocket = new Map<WebSocket, number>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get total(): number {
    return this.#total;
  }

  send(socket: WebSocket, text: string): void {
    const bytes = Buffer.byteLength(text);
    while (this.#total + bytes > this.limit && this.#dropSlowest());
    if (socket.readyState !== socket.OPEN) return;
    this.#total += bytes;
    this.#bySocket.set(socket, (this.#bySocket.get(socket) ?? 0) + bytes);
    socket.send(text, () => this.#sent(socket, bytes));
  }

  #sent(socket: WebSocket, bytes: number): void {
    const unsent = this.#bySocket.get(socket);
    // One that was disconnected does not count any more.
    if (unsent === undefined) return;
    this.#total -= bytes;
    if (unsent > bytes) this.#bySocket.set(socket, unsent - bytes);
    else this.#bySocket.delete(socket);
  }

  /** Answers whether there was one. Nothing is said to it: that would have to wait behind what it does not read. */
  #dropSlowest(): boolean {
    let [slowest, most]: [WebSocket | undefined, number] = [undefined, 0];
    for (const [socket, unsent] of this.#bySocket) {
      if (unsent > most) [slowest, most] = [socket, unsent];
    }
    if (!slowest) return false;
    this.#bySocket.delete(slowest);
    this.#total -= most;
    slowest.terminate();
    return true;
  }
}
