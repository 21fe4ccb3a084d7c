import { runsOr } from '../scenarios.ts';
import { simulatePeople } from './scenarios.ts';

simulatePeople('sqlite', runsOr(100));
simulatePeople('postgres', runsOr(40));
