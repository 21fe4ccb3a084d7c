/* The program of the executable; scripts/binary/start.ts runs it. */

export { run } from '../../src/cli/program.ts';

/** Loads the modules of a service on the embedded store. The build then keeps their compiled code. */
export async function loadService(): Promise<void> {
  await Promise.all([
    import('../../src/cli/local/serve.ts'),
    import('../../src/service/service.ts'),
    import('../../src/http/auth/sign-in.ts'),
    import('../../src/store/sqlite/engine.ts'),
  ]);
}
