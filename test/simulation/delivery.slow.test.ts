/* Ten times as many random scenarios. */
process.env['RUNS'] ??= '1200';
await import('./delivery.test.ts');
