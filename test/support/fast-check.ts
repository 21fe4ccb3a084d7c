import fc from 'fast-check';

/*
 * Property tests check the same cases in every run, so that a run can be repeated. `TEST_SEED=7 npm test -- FILE` checks
 * other cases; a failure prints its seed.
 */
const { TEST_SEED = '20261117' } = process.env;

fc.configureGlobal({ seed: Number(TEST_SEED) });

export { default as fc } from 'fast-check';
