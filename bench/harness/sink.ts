import { type AddressInfo, createServer } from 'node:net';

/*
 * A webhook receiver that accepts and counts every request, and returns the count at GET /. It implements just enough HTTP
 * for that, so that the benchmarks measure the service and not the receiver.
 */
const ACCEPTED = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
const END = Buffer.from('\r\n\r\n');

let requests = 0;
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
        const text = String(requests);
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
      } else {
        requests++;
        socket.write(ACCEPTED);
      }
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
