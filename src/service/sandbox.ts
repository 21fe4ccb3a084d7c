import type { Inbound } from '../accept/inbound.ts';
import type { SandboxServices } from '../http/services.ts';
import { loadSimulator } from '../sandbox/index.ts';
import { SandboxPeople } from '../sandbox/sandbox-people.ts';
import { Sandbox } from '../sandbox/sandbox.ts';
import type { Core } from './core.ts';

/** The sandbox; its reports arrive like those of real vendors. Undefined if it is switched off. */
export function buildSandbox(
  { config, store, clock, log, network, address }: Core,
  inbound: () => Inbound,
): Sandbox | undefined {
  if (!config.sandbox) return undefined;
  return new Sandbox({
    store,
    clock,
    log,
    network,
    baseUrl: () => address.baseUrl,
    receive: (id, random, request) => inbound().handleRequest(id, random, request, () => null),
  });
}

export function sandboxServices(
  { store }: Core,
  sandbox: Sandbox | undefined,
): SandboxServices | undefined {
  return (
    sandbox && {
      credentialsOf: async (channel) => (await loadSimulator(channel))?.credentials,
      people: new SandboxPeople(store, sandbox),
    }
  );
}
