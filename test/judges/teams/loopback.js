import { Server } from 'node:net';

/* Loaded before the playground, which would listen on every interface: it listens on loopback alone. */

const { listen } = Server.prototype;
Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  const done = rest.find((each) => typeof each === 'function');
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, done);
};
