import { openInlineStore } from '../support/store/inline-store.ts';
import { runsOr, simulate } from './scenarios.ts';

simulate('embedded store', openInlineStore, runsOr(60));
