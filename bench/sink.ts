import { type AddressInfo, createServer } from 'node:net';

/*
 * The other side of a webhook: takes everything at once, counts it, and says how many at GET /. It knows just
 * enough HTTP for that, so that what is measured is the service and not this.
 */
const TAKEN = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
const END = Buffer.from('\r\n\r\n');

let taken = 0;
const server = createServer((socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.indexOf(END);
      if (end === -1) return;
      const head = rest.toString('latin1', 0, end);
      const size = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (rest.length < end + END.length + size) return;
      rest = rest.subarray(end + END.length + size);
      if (head.startsWith('GET ')) {
        const text = String(taken);
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
      } else {
        taken++;
        socket.write(TAKEN);
      }
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
