export * from '../../../src/sandbox/wire/shape.ts';
