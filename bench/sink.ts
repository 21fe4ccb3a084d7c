import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/* The other side of a webhook: takes everything at once, counts it, and says how many at GET /. */
let taken = 0;
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(taken));
    return;
  }
  request.resume().on('end', () => {
    taken++;
    response.statusCode = 204;
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
