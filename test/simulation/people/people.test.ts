import { runsOr } from '../scenarios.ts';
import { simulatePeople } from './scenarios.ts';

simulatePeople('sqlite', runsOr(12));
