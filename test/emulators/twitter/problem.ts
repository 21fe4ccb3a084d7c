export { problem } from '../../../src/sandbox/vendors/twitter/problem.ts';
