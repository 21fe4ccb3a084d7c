import type { WebSocket } from 'ws';

/**
 * Limits the unsent bytes of all sockets together. At the limit, it disconnects the reader with the most unsent
 * bytes.
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
    // Already disconnected.
    if (unsent === undefined) return;
    this.#total -= bytes;
    if (unsent > bytes) this.#bySocket.set(socket, unsent - bytes);
    else this.#bySocket.delete(socket);
  }

  /** Returns whether there was a socket to drop. Sends no close frame, which would queue behind the unsent data. */
  #dropSlowest(): boolean {
    let [slowest, mostUnsent]: [WebSocket | undefined, number] = [undefined, 0];
    for (const [socket, unsent] of this.#bySocket) {
      if (unsent > mostUnsent) [slowest, mostUnsent] = [socket, unsent];
    }
    if (!slowest) return false;
    this.#bySocket.delete(slowest);
    this.#total -= mostUnsent;
    slowest.terminate();
    return true;
  }
}
