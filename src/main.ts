import { enableCompileCache } from 'node:module';

// Types are stripped and modules compiled once; later starts find the result in the cache.
enableCompileCache();

const { run } = await import('./cli/program.ts');
process.exitCode = await run(process.argv);
