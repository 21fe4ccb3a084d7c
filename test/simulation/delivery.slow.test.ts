/* Ten times as many random scenarios. */
process.env['RUNS'] ??= '2000';
await import('./delivery.test.ts');
