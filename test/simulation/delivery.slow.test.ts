/* The same scenarios, ten times as many; which ones is drawn at random in each run. */
process.env['RUNS'] ??= '2000';
await import('./delivery.test.ts');
